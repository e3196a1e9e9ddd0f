// Models and batches for the tests of chapter 04, and counts of waits.
#pragma once

#include <algorithm>
#include <stdexcept>

#include "check_tensors.h"
#include "exercises.h"
#include "host_waits.h"

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

/// The same in pinned memory.
inline Batch pinned_batch(std::int64_t n, std::uint64_t seed) {
  const Batch batch = make_batch(n, "cpu", seed);
  return {batch.data.pin_memory(), batch.target.pin_memory()};
}

/// Pinned batches of these sizes, with seeds from `seed` on.
inline std::vector<Batch> batches_of(const std::vector<std::int64_t>& sizes, std::uint64_t seed) {
  std::vector<Batch> batches;
  for (const std::int64_t n : sizes) batches.push_back(pinned_batch(n, seed++));
  return batches;
}

/// Returns its input, counts its calls in each mode and the graphs that earlier calls built and
/// that are still alive, and throws in evaluation mode if it should.
struct GraphProbeImpl : td::nn::Module {
  td::Tensor forward(const td::Tensor& x) {
    ++(is_training() ? calls_in_training : calls_in_evaluation);
    if (fails && !is_training()) throw std::runtime_error("the test image is broken");
    tracked_in_evaluation = tracked_in_evaluation || (!is_training() && x.requires_grad());
    most_graphs = std::max(most_graphs, graphs.use_count() - 1);
    if (x.requires_grad()) x.register_hook([part = graphs](const td::Tensor&) {});
    return x;
  }
  int calls_in_training = 0, calls_in_evaluation = 0;
  bool fails = false, tracked_in_evaluation = false;
  const std::shared_ptr<int> graphs = std::make_shared<int>();  // each graph holds it, too
  long most_graphs = 0;
};
TD_MODULE(GraphProbe);

/// Returns how often the host waited for a device during `work`, after a first run of it.
template <class Work>
int host_waits(Work&& work) {
  work();
  return check::host_waits(work);
}

/// The modes of all modules of a model, and a check that they are as before.
inline std::vector<bool> modes_of(td::nn::Module& model) {
  std::vector<bool> modes;
  model.apply([&](td::nn::Module& module) { modes.push_back(module.is_training()); });
  return modes;
}

inline void expect_modes(td::nn::Module& model, const std::vector<bool>& before,
                         const std::string& when) {
  const std::vector<bool> after = modes_of(model);
  const char* const names[] = {"evaluation", "training"};
  for (std::size_t i = 0; i < before.size(); ++i)
    check::expect(after[i] == before[i],
                  when + ": module " + std::to_string(i) + " of the tree should be in " +
                      names[before[i]] + " mode as before, but is in " + names[after[i]] + " mode");
}
