// DistributedDataParallel: a module that every rank trains on its own share of the data, and whose
// gradients are the averages over all ranks. Programs wrap their model in it once, after
// init_process_group; the work is done by the reducer (reducer.h).
// Invariant: parameters are equal on all ranks, bitwise, at the end of every step.
#pragma once

#include <unordered_set>

#include "distributed/ddp/model_exchange.h"
#include "distributed/ddp/reducer.h"
#include "td/nn/any_module.h"
#include "td/tensor/nest.h"

namespace td::distributed {

/// See above. Wraps any module that has a forward:
///
///     td::distributed::DistributedDataParallel ddp(model);
///     optim::SGD sgd(ddp->parameters(), 0.1);
///     loss_of(ddp->forward(x), y).backward();   // gradients are averaged when this returns
///     sgd.step();
///
/// All ranks construct it at the same time. It compares the models, then copies rank 0's parameters
/// and buffers to all. Names get the prefix "module.".
/// @throws Error on all ranks when they have different models, and for a module without a parameter
/// to train; backward throws when a parameter got no gradient, with its name.
class DistributedDataParallelImpl : public nn::Module {
 public:
  /// How a container calls it.
  using PlainForward = Tensor (DistributedDataParallelImpl::*)(const Tensor&);

  explicit DistributedDataParallelImpl(nn::AnyModule module,
                                       DistributedDataParallelOptions options = {});

  /// The module's forward.
  Tensor forward(const Tensor& input);
  /// The same for other arguments and results: `ddp->forward<std::tuple<Tensor, Tensor>>(a, b)`.
  template <class R = Tensor, class... Args>
  R forward(Args&&... args) {
    before_forward();
    R result = module_.forward<R>(std::forward<Args>(args)...);
    TensorList outputs;
    if (options_.find_unused_parameters()) outputs = tensors_in(result);
    after_forward(outputs);
    return result;
  }

  /// Until the end of the scope, forward and backward passes only add to this rank's gradients. The
  /// backward pass of the next forward pass outside averages the sums.
  struct NoSyncGuard : ScopedValue<bool> {
    explicit NoSyncGuard(DistributedDataParallelImpl& ddp)
        : ScopedValue(ddp.reducer_->in_no_sync, true) {}
  };
  /// `{ const auto guard = ddp->no_sync(); loss_of(ddp->forward(x), y).backward(); }`
  NoSyncGuard no_sync() { return NoSyncGuard(*this); }

  /// Calls `steps`, a loop over this rank's batches, where ranks may have different numbers of
  /// them: a rank that has finished takes part in the others' collectives with zeros, until all
  /// have. Then all get the parameters and buffers of a rank that took the most steps; optimizers
  /// keep their state. Every forward must have a backward.
  /// @param divide_by_initial_world_size gradients are divided by the number of all ranks, so that
  /// each batch counts the same; otherwise by the number of ranks that still have batches.
  void join(const std::function<void()>& steps, bool divide_by_initial_world_size = true);

  /// Replaces the all-reduce of each bucket; at most once.
  void register_comm_hook(CommHook hook) { reducer_->register_comm_hook(std::move(hook)); }
  /// For tests: the buckets, and how often they were rebuilt.
  const Reducer& reducer() const { return *reducer_; }

 private:
  void check_devices() const;
  void check_averaged();
  std::vector<std::string> describe() const;
  void before_forward();
  void after_forward(const TensorList& outputs);
  void take_part(const JoinStep& step);
  void broadcast_state(int root);
  void broadcast_buffers(int root);

  nn::AnyModule module_;
  DistributedDataParallelOptions options_;
  std::shared_ptr<ProcessGroup> group_;
  std::unique_ptr<Reducer> reducer_;
  TensorList module_buffers_;
  // The parameters of the module when it was wrapped: those that the reducer has, and the others.
  std::unordered_set<const TensorImpl*> averaged_;
  std::vector<OrderedDict<std::string, Tensor>::Item> frozen_;
  bool looked_for_new_ = false;
  Device device_{kCPU};       // of the first parameter: where the ranks' messages may be
  bool sync_buffers_ = true;  // the last forward was one that averages
  JoinStep step_;             // what this forward does
  bool joining_ = false;
};
/// Holder of DistributedDataParallelImpl.
TD_MODULE(DistributedDataParallel);

/// Removes `prefix` from the names of a state that a wrapped module has saved, so that the bare
/// module can load it. Names without it stay.
void consume_prefix_in_state_dict_if_present(OrderedDict<std::string, Tensor>& state,
                                             const std::string& prefix = "module.");

}  // namespace td::distributed
