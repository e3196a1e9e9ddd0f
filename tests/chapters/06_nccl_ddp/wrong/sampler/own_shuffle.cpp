// expect: is not given by exactly one rank
// Right without a shuffle: each rank seeds with its own number, so that some samples are seen
// twice and others never.
#include <algorithm>
#include <numeric>
#include <random>

#include "exercises.h"

std::vector<std::size_t> indices_of_rank(std::size_t size, const Sampling& sampling) {
  std::vector<std::size_t> order(size), mine;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 generator(sampling.seed + sampling.epoch +
                            static_cast<std::uint64_t>(sampling.rank));
  if (sampling.shuffle) std::shuffle(order.begin(), order.end(), generator);
  const std::size_t ranks = static_cast<std::size_t>(sampling.world_size);
  const std::size_t each = sampling.drop_last ? size / ranks : (size + ranks - 1) / ranks;
  for (std::size_t i = 0; i < each; ++i)
    mine.push_back(order[(i * ranks + static_cast<std::size_t>(sampling.rank)) % size]);
  return mine;
}
