// Communication hooks: how DistributedDataParallel averages one bucket, when it is not to be by a
// plain all-reduce. Given to register_comm_hook.
#pragma once

#include <functional>

#include "distributed/process_group.h"

namespace td::distributed {

/// The gradients of one bucket, as a hook sees them.
struct GradBucket {
  std::size_t index = 0;  ///< 0 is the first to be sent
  bool is_last = false;   ///< of this backward
  /// All gradients one behind the other, in one dimension, some zeros between them.
  Tensor buffer;
  TensorList gradients;   ///< views into `buffer`, with the parameters' sizes
  TensorList parameters;  ///< theirs, in the same order
};

/// Takes the place of the all-reduce and of the division by the number of ranks: starts the
/// communication and returns the work whose wait() leaves the result in `bucket.buffer`. All ranks
/// must make the same calls.
using CommHook = std::function<std::shared_ptr<Work>(ProcessGroup& group, GradBucket& bucket)>;

/// What happens without a hook: the average over all ranks.
std::shared_ptr<Work> allreduce_hook(ProcessGroup& group, GradBucket& bucket);
/// The average of gradients rounded to bfloat16: half the bytes, 8 bits of precision. Sums are made
/// in float32 where the group can; the result is rounded once more.
std::shared_ptr<Work> bf16_compress_hook(ProcessGroup& group, GradBucket& bucket);

}  // namespace td::distributed
