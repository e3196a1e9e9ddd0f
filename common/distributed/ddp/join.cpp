// The agreement on a step.
#include "distributed/ddp/join.h"

#include "distributed/ddp/model_exchange.h"

namespace td::distributed {

JoinStep agree(ProcessGroup& group, bool has_batch, bool gradients, bool buffers, Device device) {
  const auto all = all_gather_numbers(group, {has_batch, gradients, buffers}, device);
  JoinStep step;
  step.active = 0;
  for (int rank = 0; rank < group.size(); ++rank) {
    const auto& said = all[static_cast<std::size_t>(rank)];
    if (!said[0]) continue;
    const bool first = step.active++ == 0;
    if (first) {
      step.root = rank;
      step.gradients = said[1];
      step.buffers = said[2];
    }
    TD_CHECK(Error, step.gradients == bool(said[1]) && step.buffers == bool(said[2]),
             "join: ranks ", step.root, " and ", rank,
             " do different things in one step: only one of them is inside no_sync() or "
             "NoGradGuard. All ranks that have a batch must do the same");
  }
  return step;
}

}  // namespace td::distributed
