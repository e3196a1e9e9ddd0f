// Collectives between GPUs of several processes, as NCCL offers them. The process group for cuda
// tensors (distributed/process_group_nccl.h) is the only caller. In a build without CUDA nothing
// can be made, and asking says why. Invariant: a call only queues work on `stream`; the host never
// waits here.
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

/// One rank's end of a group of GPUs. All pointers are memory of its device, all streams are that
/// device's. Serves one thread at a time, but for ready() and abort().
class Communicator {
 public:
  virtual ~Communicator() = default;

  /// True when all that was asked for so far is queued, and at first when all ranks have joined.
  /// Ask until then before anything else. @throws DeviceError with NCCL's words when it has failed.
  virtual bool ready() = 0;
  /// In place.
  ///@{
  virtual void broadcast(void* data, Elements elements, int root, void* stream) = 0;
  virtual void all_reduce(void* data, Elements elements, ReduceOp op, void* stream) = 0;
  virtual void reduce(void* data, Elements elements, ReduceOp op, int root, void* stream) = 0;
  ///@}
  /// `elements` are one rank's: of the input.
  virtual void all_gather(const void* input, void* output, Elements elements, void* stream) = 0;
  /// `elements` are one rank's: of the output.
  virtual void reduce_scatter(const void* input, void* output, Elements elements, ReduceOp op,
                              void* stream) = 0;
  /// All at the same time, so that two ranks may send to each other.
  virtual void exchange(const std::vector<P2POp>& operations, void* stream) = 0;

  /// For traces: what is queued on `stream`, and ready(), while the returned object lives is one
  /// span of that name. @return null where no spans are recorded.
  virtual std::shared_ptr<void> span(const char* name, std::size_t bytes, void* stream) = 0;

  /// Gives up: queued work ends without a result, and later calls throw. May hang when a GPU or a
  /// network does.
  virtual void abort() = 0;
};

/// What rank 0 makes and all ranks of one new group need: bytes in hexadecimal digits.
/// @throws DeviceError when this build has no NCCL, or NCCL cannot be opened.
std::string new_communicator_id();
/// Begins to join a group; ready() says when all ranks have come. @throws DeviceError
std::shared_ptr<Communicator> join_communicator(const std::string& id, int rank, int size,
                                                Device device);
/// The GPU's own name in the world: "GPU-" and 32 hexadecimal digits. @throws DeviceError
std::string device_uuid(Device device);

}  // namespace td
