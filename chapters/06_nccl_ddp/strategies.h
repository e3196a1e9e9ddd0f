// A training step with five ways to average the gradients of all ranks, from one call per parameter
// to DDP. Included by train and step; the first four ways call the exercises of this chapter.
#pragma once

#include <cstdint>
#include <iostream>
#include <optional>
#include <string>

#include "exercises.h"
#include "trace/trace.h"

/// The part of a training step that differs: the call of the model, and the work between backward()
/// and the step() of the optimizer.
struct Strategy {
  std::function<td::Tensor(const td::Tensor& input)> forward;
  std::function<void()> after_backward;
};

/// Packs bucket after bucket and starts its all_reduce; waits when all are in flight.
inline void reduce_in_buckets(const std::vector<td::Tensor>& parameters, const Buckets& buckets,
                              ProcessGroup& group) {
  std::vector<std::vector<td::Tensor>> members;
  std::vector<td::Tensor> flat;
  std::vector<std::shared_ptr<td::distributed::Work>> works;
  for (const auto& bucket : buckets) {
    members.emplace_back();
    for (const std::size_t p : bucket) members.back().push_back(parameters[p]);
    flat.push_back(pack_gradients(members.back()));
    works.push_back(group.all_reduce(flat.back(), td::distributed::ReduceOp::AVG));
  }
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    works[b]->wait();
    unpack_gradients(flat[b], members[b]);
  }
}

inline Strategy make_strategy(const std::string& name, td::nn::Sequential model,
                              double bucket_cap_mb, ProcessGroup& group) {
  Strategy strategy;
  if (name == "ddp") {
    td::distributed::DistributedDataParallel ddp(
        model, td::distributed::DistributedDataParallelOptions().bucket_cap_mb(bucket_cap_mb));
    strategy.forward = [ddp](const td::Tensor& input) mutable { return ddp->forward(input); };
    strategy.after_backward = [] {};  // backward() has waited for everything
    return strategy;
  }
  broadcast_start(*model, group);
  strategy.forward = [model](const td::Tensor& input) mutable { return model->forward(input); };
  const std::vector<td::Tensor> parameters = model->parameters();
  constexpr std::size_t kMiB = 1 << 20, kAll = SIZE_MAX;
  const auto cap = static_cast<std::size_t>(bucket_cap_mb * kMiB);
  if (name == "naive") {
    strategy.after_backward = [=, &group] { average_gradients(parameters, group); };
  } else if (name == "flat") {
    const Buckets one = assign_buckets(parameters, kAll, kAll);
    strategy.after_backward = [=, &group] { reduce_in_buckets(parameters, one, group); };
  } else if (name == "buckets") {
    const Buckets buckets = assign_buckets(parameters, kMiB, cap);
    strategy.after_backward = [=, &group] { reduce_in_buckets(parameters, buckets, group); };
  } else {  // overlap
    const auto overlap =
        std::make_shared<Overlap>(parameters, assign_buckets(parameters, kMiB, cap), group);
    attach(*overlap);
    strategy.after_backward = [overlap] { finish(*overlap); };
  }
  return strategy;
}

// anchor: step
inline td::Tensor train_step(Strategy& strategy, td::optim::Optimizer& optimizer,
                             const td::data::Example<>& batch, td::Device device) {
  std::optional<td::trace::Span> phase;  // for --trace and --timeline
  phase.emplace("forward");
  optimizer.zero_grad();
  const td::Tensor output = strategy.forward(batch.data.to(device));
  const td::Tensor loss = td::nn::CrossEntropyLoss()(output, batch.target.to(device));
  phase.emplace("backward");
  loss.backward();
  strategy.after_backward();
  phase.emplace("step");
  optimizer.step();
  return loss.detach();
}
// anchor end

/// Rank 0 prints how many ranks there are, its device, and how the data moves.
inline void introduce(const ProcessGroup& group, td::Device device) {
  if (group.rank() > 0) return;
  std::cout << "Using " << group.size() << (group.size() > 1 ? " ranks, rank 0" : " rank") << " on "
            << device << "; transport: " << group.transport() << '\n';
}
