// The hooks that come with DistributedDataParallel.
#include "distributed/ddp/comm_hook.h"

#include "td/ops/ops.h"

namespace td::distributed {

std::shared_ptr<Work> allreduce_hook(ProcessGroup& group, GradBucket& bucket) {
  return group.all_reduce(bucket.buffer, ReduceOp::AVG);
}

std::shared_ptr<Work> bf16_compress_hook(ProcessGroup& group, GradBucket& bucket) {
  const Tensor compressed = bucket.buffer.to(kBFloat16);
  return std::make_shared<ThenWork>(
      group.all_reduce(compressed, ReduceOp::AVG),
      [compressed, buffer = bucket.buffer] { buffer.copy_(compressed); });
}

}  // namespace td::distributed
