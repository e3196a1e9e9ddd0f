// Collectives between GPUs of several processes, as NCCL offers them. The only caller is the
// process group for cuda tensors (distributed/transport/process_group_nccl.h). In a build without
// CUDA, every function here throws an error that says why. Invariant: a call only enqueues work on
// `stream`; the host never blocks here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "td/device/device.h"
#include "td/tensor/dtype.h"

namespace td {

/// How many elements of which type.
struct Elements {
  std::size_t count = 0;
  ScalarType dtype = kFloat;
};

/// How a collective combines the elements of several ranks, with libtorch's names. AVG is the sum
/// divided by the number of ranks, for floating point types.
enum class ReduceOp : std::uint8_t { SUM, AVG, PRODUCT, MIN, MAX };

/// One point-to-point operation: a send to, or a receive from, one other rank.
struct P2POp {
  bool is_sent = false;  ///< else it is received
  void* data = nullptr;
  Elements elements;
  int peer = 0;
};

/// One rank's connection to a group of GPUs. All pointers are memory of its device, and all streams
/// belong to that device. Not thread-safe, except for ready() and abort().
class Communicator {
 public:
  virtual ~Communicator() = default;

  /// True when all calls so far are enqueued and, at first, when all ranks have joined. Repeat it
  /// until then before any other call. @throws DeviceError with NCCL's message on failure.
  virtual bool ready() = 0;
  /// These work in place.
  ///@{
  virtual void broadcast(void* data, Elements elements, int root, NativeStream* stream) = 0;
  virtual void all_reduce(void* data, Elements elements, ReduceOp op, NativeStream* stream) = 0;
  virtual void reduce(void* data, Elements elements, ReduceOp op, int root,
                      NativeStream* stream) = 0;
  ///@}
  /// `elements` counts the input, which is one rank's part.
  virtual void all_gather(const void* input, void* output, Elements elements,
                          NativeStream* stream) = 0;
  /// `elements` counts the output, which is one rank's part.
  virtual void reduce_scatter(const void* input, void* output, Elements elements, ReduceOp op,
                              NativeStream* stream) = 0;
  /// Starts all operations at the same time, so that two ranks may send to each other.
  virtual void exchange(const std::vector<P2POp>& operations, NativeStream* stream) = 0;

  /// For traces: the work that is queued on `stream`, and ready(), during the lifetime of the
  /// returned object are one span of that name. @return null where no spans are recorded.
  virtual std::shared_ptr<void> span(const char* name, std::size_t bytes, NativeStream* stream) = 0;

  /// Aborts the communicator: queued work ends without a result, and later calls throw. May hang
  /// when a GPU or a network hangs.
  virtual void abort() = 0;
};

/// Makes the id that rank 0 passes to all ranks of a new group, as hexadecimal digits.
/// @throws DeviceError when this build has no NCCL, or NCCL cannot be opened.
std::string new_communicator_id();
/// Begins to join a group; ready() says when all ranks have joined. @throws DeviceError
std::shared_ptr<Communicator> join_communicator(const std::string& id, int rank, int size,
                                                Device device);
/// The globally unique id of a GPU: "GPU-" and 32 hexadecimal digits. @throws DeviceError
std::string device_uuid(Device device);

}  // namespace td
