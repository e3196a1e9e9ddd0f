// What the tests of chapter 06 share: ranks that are threads, and models for them.
#pragma once

#include <chrono>

#include "check_tensors.h"
#include "distributed/thread_group.h"
#include "exercises.h"

/// Calls `work` in `ranks` threads. A rank that waits for others without an answer ends after 5 s
/// with an error that says who is missing. Assert afterwards, in the main thread.
inline void run_ranks(int ranks, const std::function<void(ProcessGroup&)>& work) {
  td::distributed::run_as_threads(ranks, work, std::chrono::seconds(5));
}

/// "rank 1 of 3".
inline std::string rank_name(int rank, int ranks) {
  return "rank " + std::to_string(rank) + " of " + std::to_string(ranks);
}

/// Linear and batch norm, with other weights for another seed.
inline td::nn::Sequential make_net(std::uint64_t seed, td::Device device = "cpu") {
  td::manual_seed(seed);
  td::nn::Sequential net(td::nn::Linear(7, 31), td::nn::BatchNorm1d(31), td::nn::ReLU(),
                         td::nn::Linear(31, 3));
  net->to(device);
  return net;
}

/// A parameter of these sizes whose gradient is `gradient` everywhere; none when it is NaN.
inline td::Tensor parameter_with(const std::vector<std::int64_t>& sizes, double gradient,
                                 const td::TensorOptions& options = {}) {
  td::Tensor parameter = td::zeros(sizes, options).requires_grad_();
  if (gradient == gradient) parameter.mutable_grad() = td::full(sizes, gradient, options);
  return parameter;
}
