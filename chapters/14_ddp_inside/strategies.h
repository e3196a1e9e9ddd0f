// Five ways to average the gradients of all ranks in a training step, from one call per parameter
// to DDP. Included by step; three of them call the exercises of this chapter.
#pragma once

#include <cstdint>
#include <string>

#include "../06_nccl_ddp/training_step.h"
#include "exercises.h"

/// One all-reduce per parameter, as the exercise naive_all_reduce of chapter 06.
inline void reduce_one_by_one(const std::vector<td::Tensor>& parameters, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : parameters) {
    const td::Tensor gradient = gradient_or_zeros(parameter).contiguous();
    group.all_reduce(gradient, td::distributed::ReduceOp::AVG)->wait();
    parameter.mutable_grad() = gradient;
  }
}

// anchor: buckets
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
// anchor end

/// @param model the same values on every rank.
inline Strategy make_strategy(const std::string& name, td::nn::Sequential model,
                              double bucket_cap_mb, ProcessGroup& group) {
  if (name == "ddp") return ddp_strategy(model, bucket_cap_mb);
  Strategy strategy;
  strategy.forward = [model](const td::Tensor& input) mutable { return model->forward(input); };
  const std::vector<td::Tensor> parameters = model->parameters();
  constexpr std::size_t kMiB = 1 << 20, kAll = SIZE_MAX;
  const auto cap = static_cast<std::size_t>(bucket_cap_mb * kMiB);
  if (name == "naive") {
    strategy.after_backward = [=, &group] { reduce_one_by_one(parameters, group); };
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
