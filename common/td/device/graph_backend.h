// What a kind of device must be able to do beside Backend so that its streams can be captured.
// graph.cpp calls it; backends/sim and backends/cuda implement it.
#pragma once

#include <cstddef>

#include "td/device/device.h"

namespace td {

/// The contract. Indices and streams as in Backend; a stream that is captured is never a default
/// one.
class GraphBackend {
 public:
  virtual ~GraphBackend() = default;

  /// From now on what is queued on the stream is written down and not run. A stream that waits for
  /// an event of a captured stream is captured too.
  virtual void begin_capture(int index, void* stream) = 0;
  /// Ends that, for all its streams, also when it throws.
  /// @param nodes how many launches and copies the graph has; 0 is an answer.
  /// @return the graph, ready to be launched.
  /// @throws DeviceError when a stream did not come back to this one.
  virtual void* end_capture(int index, void* stream, std::size_t* nodes) = 0;
  /// Queues all of a graph as one piece of work on `stream`.
  virtual void launch(void* graph, int index, void* stream) = 0;
  /// Gives a graph up. No launch of it is queued any more.
  virtual void release(void* graph, int index) noexcept = 0;
};

/// The graphs of a kind. @throws DeviceError for a kind that has none.
GraphBackend& graph_backend(DeviceType type);

}  // namespace td
