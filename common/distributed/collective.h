// One call of a process group, as data: what every rank must agree on, and the tensors of this
// rank. ProcessGroup's methods fill it in, HostGroup or the NCCL group carries it out, the control
// plane compares it between ranks.
#pragma once

#include <cstdint>
#include <string>

#include "td/tensor/tensor.h"

namespace td::distributed {

/// How elements of several ranks become one, with libtorch's names. AVG is the sum divided by the
/// number of ranks, for floating point types.
enum class ReduceOp : std::uint8_t { SUM, AVG, PRODUCT, MIN, MAX };

/// The calls there are.
enum class CollectiveType : std::uint8_t {
  kBroadcast,
  kAllReduce,
  kReduce,
  kAllGather,
  kReduceScatter,
  kBarrier,
  kSend,
  kReceive
};

/// "sum", "avg", ...
const char* reduce_name(ReduceOp op);
/// "all_reduce", "broadcast", ...: the name of the method.
const char* collective_name(CollectiveType type);

/// What all ranks of one collective must have alike; a trivially copyable value that fits a
/// message.
struct CollectiveKey {
  std::uint64_t sequence = 0;  ///< 1 for a group's first collective; 0 for send and recv
  std::int64_t numel = 0;      ///< elements of one rank's input (all_gather) or of the tensor
  std::int32_t peer = 0;       ///< the root; for send and recv the other rank
  std::int32_t tag = 0;        ///< of send and recv
  CollectiveType type = CollectiveType::kBarrier;  ///< which call
  ReduceOp reduce = ReduceOp::SUM;                 ///< of the calls that reduce
  ScalarType dtype = kFloat;                       ///< of the elements

  /// Of `numel` elements.
  std::size_t bytes() const { return static_cast<std::size_t>(numel) * element_size(dtype); }
  friend bool operator==(const CollectiveKey&, const CollectiveKey&) = default;
};

/// For people: "all_reduce #17 (avg, 1000 x float32)".
std::string describe(const CollectiveKey& key);

/// A call with its tensors, contiguous ones.
struct Collective {
  CollectiveKey key;  ///< the call
  Tensor input;       ///< what is read
  Tensor output;      ///< what is written; the same tensor for calls that work in place
};

}  // namespace td::distributed
