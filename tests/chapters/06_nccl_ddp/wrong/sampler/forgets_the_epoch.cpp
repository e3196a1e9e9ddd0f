// expect: epoch 1 has the same order as epoch 0
// This is what PyTorch does when the program does not call set_epoch.
#include <algorithm>
#include <numeric>
#include <random>

#include "exercises.h"

std::vector<std::size_t> indices_of_rank(std::size_t size, const Sampling& sampling) {
  std::vector<std::size_t> order(size), mine;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 generator(sampling.seed);
  if (sampling.shuffle) std::shuffle(order.begin(), order.end(), generator);
  const std::size_t ranks = static_cast<std::size_t>(sampling.world_size);
  const std::size_t each = sampling.drop_last ? size / ranks : (size + ranks - 1) / ranks;
  for (std::size_t i = 0; i < each; ++i)
    mine.push_back(order[(i * ranks + static_cast<std::size_t>(sampling.rank)) % size]);
  return mine;
}
