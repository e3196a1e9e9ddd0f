// What the tests of chapter 04 train.
#pragma once

#include "check_tensors.h"
#include "exercises.h"

/// A small net with a batch norm, so that modes matter, always with the same weights.
inline td::nn::Sequential make_net(td::Device device = "cpu") {
  td::manual_seed(3);
  td::nn::Sequential net(td::nn::Linear(7, 31), td::nn::BatchNorm1d(31), td::nn::ReLU(),
                         td::nn::Linear(31, 3));
  net->to(device);
  return net;
}

/// A batch of `n` samples for make_net, always the same for the same seed.
inline Batch make_batch(std::int64_t n, td::Device device = "cpu", std::uint64_t seed = 5) {
  td::manual_seed(seed);
  const td::Tensor data = td::randn({n, 7});
  return {data.to(device), td::randint(0, 3, {n}, td::TensorOptions(td::kInt64)).to(device)};
}
