// The streams of a backward pass, next to engine.cpp, which alone includes it. A node runs on the
// stream of its forward, and what uses a gradient waits for what computed it. Invariant: work of
// the caller on its own streams comes after all gradients. Nothing here costs the cpu more than a
// test.
#pragma once

#include <optional>
#include <utility>

#include "td/autograd/graph_task.h"
#include "td/device/stream.h"
#include "td/device/thread_state.h"

namespace td {
namespace {

/// Where `node` works on `device`: on the stream of its forward or, when that ran on another
/// device, on this thread's current stream. A node of several devices has the stream of the first.
inline void* stream_on(Device device, const Node& node) {
  return device == node.outputs[0].device ? node.stream : current_native_stream(device);
}

/// Until the end of the scope, `device` and the stream that `node` works on are the current ones.
class NodeStream {
 public:
  NodeStream(Device device, const Node& node) {
    if (device.is_cpu()) return;
    void* stream = stream_on(device, node);
    if (stream != current_native_stream(device) || current_device(device.type()) != device.index())
      guard_.emplace(Stream(device, stream));
  }

 private:
  std::optional<StreamGuard> guard_;
};

/// The stream on which `consumer` works waits for `producer`, the stream that computed `g`.
inline void hand_over(const Tensor& g, void* producer, const Node& consumer) {
  const Device device = g.device();
  if (device.is_cpu()) return;
  void* const stream = stream_on(device, consumer);
  if (producer == stream) return;
  const Stream waiting(device, stream);
  waiting.wait(Stream(device, producer));
  g.record_stream(waiting);
}

/// The caller's current streams wait for all nodes of the pass.
inline void wait_for_streams(GraphTask& pass) {
  for (const NodeTask& task : pass.tasks()) {
    const Device device = task.node->outputs.empty() ? Device(kCPU) : task.node->outputs[0].device;
    if (device.is_cpu()) continue;
    void* current = current_native_stream(device);
    if (task.node->stream != current)
      Stream(device, current).wait(Stream(device, task.node->stream));
  }
}

}  // namespace
}  // namespace td
