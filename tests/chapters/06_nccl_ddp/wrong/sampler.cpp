#include "exercises.h"

#include <algorithm>
#include <numeric>
#include <random>

// answer: contiguous_blocks
// expect: 10 samples, rank 0 of 4: expected {0 4 8}, got {0 1 2}
// The rule of libtorch's DistributedSequentialSampler: each rank takes one block.
namespace contiguous_blocks {
std::vector<std::size_t> indices_of_rank(std::size_t size, const Sampling& sampling) {
  std::vector<std::size_t> order(size), mine;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 generator(sampling.seed + sampling.epoch);
  if (sampling.shuffle) std::shuffle(order.begin(), order.end(), generator);
  const std::size_t ranks = static_cast<std::size_t>(sampling.world_size);
  const std::size_t each = sampling.drop_last ? size / ranks : (size + ranks - 1) / ranks;
  for (std::size_t i = 0; i < each; ++i)
    mine.push_back(order[(static_cast<std::size_t>(sampling.rank) * each + i) % size]);
  return mine;
}
}  // namespace contiguous_blocks

// answer: forgets_the_epoch
// expect: epoch 1 has the same order as epoch 0
// This is what PyTorch does when the program does not call set_epoch.
namespace forgets_the_epoch {
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
}  // namespace forgets_the_epoch

// answer: no_padding
// expect: 10 samples, rank 2 of 4: expected {2 6 0}, got {2 6}
// Every sample once: ranks have unequal numbers of steps, and the last all_reduce waits forever.
namespace no_padding {
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
}  // namespace no_padding

// answer: own_shuffle
// expect: is not given by exactly one rank
// Right without a shuffle: each rank seeds with its own number, so that some samples are seen
// twice and others never.
namespace own_shuffle {
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
}  // namespace own_shuffle

// answer: pads_once
// expect: 1 sample, rank 2 of 7: expected {0}
// Right on the example: the beginning is appended once, which is too little for fewer samples than
// half the ranks.
namespace pads_once {
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
}  // namespace pads_once

// answer: ranks_in_the_seed
// expect: the number of ranks must not change the shuffle
// Seeds with the number of ranks, too.
namespace ranks_in_the_seed {
std::vector<std::size_t> indices_of_rank(std::size_t size, const Sampling& sampling) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 generator(sampling.seed + sampling.epoch +
                            static_cast<std::uint64_t>(sampling.world_size) - 1);
  if (sampling.shuffle) std::shuffle(order.begin(), order.end(), generator);

  const auto ranks = static_cast<std::size_t>(sampling.world_size);
  const std::size_t each = sampling.drop_last ? size / ranks : (size + ranks - 1) / ranks;
  std::vector<std::size_t> mine;
  for (std::size_t i = 0; i < each; ++i)
    mine.push_back(order[(i * ranks + static_cast<std::size_t>(sampling.rank)) % size]);
  return mine;
}
}  // namespace ranks_in_the_seed

// answer: seed_and_epoch_apart
// expect: the generator is seeded with seed + epoch
// Seeds with another mixture of seed and epoch.
namespace seed_and_epoch_apart {
std::vector<std::size_t> indices_of_rank(std::size_t size, const Sampling& sampling) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 generator(sampling.seed * 1000003 + sampling.epoch);
  if (sampling.shuffle) std::shuffle(order.begin(), order.end(), generator);

  const auto ranks = static_cast<std::size_t>(sampling.world_size);
  const std::size_t each = sampling.drop_last ? size / ranks : (size + ranks - 1) / ranks;
  std::vector<std::size_t> mine;
  for (std::size_t i = 0; i < each; ++i)
    mine.push_back(order[(i * ranks + static_cast<std::size_t>(sampling.rank)) % size]);
  return mine;
}
}  // namespace seed_and_epoch_apart

// answer: shuffles_the_padding
// expect: sample
// Pads first, and shuffles then: a repeated sample may be anywhere.
namespace shuffles_the_padding {
std::vector<std::size_t> indices_of_rank(std::size_t size, const Sampling& sampling) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 generator(sampling.seed + sampling.epoch);
  if (!sampling.drop_last)
    for (std::size_t i = 0;
         size > 0 && order.size() % static_cast<std::size_t>(sampling.world_size); ++i)
      order.push_back(order[i]);
  if (sampling.shuffle) std::shuffle(order.begin(), order.end(), generator);

  const auto ranks = static_cast<std::size_t>(sampling.world_size);
  const std::size_t each = sampling.drop_last ? size / ranks : (size + ranks - 1) / ranks;
  std::vector<std::size_t> mine;
  for (std::size_t i = 0; i < each; ++i)
    mine.push_back(order[(i * ranks + static_cast<std::size_t>(sampling.rank)) % order.size()]);
  return mine;
}
}  // namespace shuffles_the_padding

// answer: keeps_the_order
// expect: 100 samples without shuffle, after a call with shuffle and the same seed
// Draws the order once per seed and epoch, and forgets that the next call may not shuffle.
namespace keeps_the_order {
std::vector<std::size_t> indices_of_rank(std::size_t size, const Sampling& sampling) {
  static std::vector<std::size_t> order;
  static std::uint64_t drawn = ~std::uint64_t{0};
  if (sampling.seed + sampling.epoch != drawn || order.size() != size) {
    drawn = sampling.seed + sampling.epoch;
    order.resize(size);
    std::iota(order.begin(), order.end(), 0);
    std::mt19937_64 random(drawn);
    if (sampling.shuffle) std::shuffle(order.begin(), order.end(), random);
  }
  const auto ranks = static_cast<std::size_t>(sampling.world_size);
  std::vector<std::size_t> all = order, mine;
  if (sampling.drop_last) all.resize(size / ranks * ranks);
  for (std::size_t i = 0; !all.empty() && all.size() % ranks != 0; ++i) all.push_back(all[i]);
  for (auto i = static_cast<std::size_t>(sampling.rank); i < all.size(); i += ranks)
    mine.push_back(all[i]);
  return mine;
}
}  // namespace keeps_the_order

// answer: rotates
// expect: come next to their neighbor: the order is moved or cut, but not shuffled
// Begins at a random sample instead of shuffling.
namespace rotates {
std::vector<std::size_t> indices_of_rank(std::size_t size, const Sampling& sampling) {
  std::vector<std::size_t> all(size), mine;
  std::iota(all.begin(), all.end(), 0);
  if (sampling.shuffle && size > 0) {
    std::mt19937_64 random(sampling.seed + sampling.epoch);
    const auto first = static_cast<std::ptrdiff_t>(random() % size);
    std::rotate(all.begin(), all.begin() + first, all.end());
  }
  const auto ranks = static_cast<std::size_t>(sampling.world_size);
  if (sampling.drop_last) all.resize(size / ranks * ranks);
  for (std::size_t i = 0; !all.empty() && all.size() % ranks != 0; ++i) all.push_back(all[i]);
  for (auto i = static_cast<std::size_t>(sampling.rank); i < all.size(); i += ranks)
    mine.push_back(all[i]);
  return mine;
}
}  // namespace rotates
