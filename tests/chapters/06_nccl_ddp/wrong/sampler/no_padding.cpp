// expect: 10 samples, rank 2 of 4: expected {2 6 0}, got {2 6}
// Every sample once: ranks have unequal numbers of steps, and the last all_reduce waits forever.
#include <algorithm>
#include <numeric>
#include <random>

#include "exercises.h"

std::vector<std::size_t> indices_of_rank(std::size_t size, const Sampling& sampling) {
  std::vector<std::size_t> order(size), mine;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 generator(sampling.seed + sampling.epoch);
  if (sampling.shuffle) std::shuffle(order.begin(), order.end(), generator);
  const std::size_t ranks = static_cast<std::size_t>(sampling.world_size);
  const std::size_t end = sampling.drop_last ? size - size % ranks : size;
  for (std::size_t i = static_cast<std::size_t>(sampling.rank); i < end; i += ranks)
    mine.push_back(order[i]);
  return mine;
}
