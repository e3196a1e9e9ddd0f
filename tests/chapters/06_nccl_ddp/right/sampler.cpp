#include "exercises.h"

#include <random>

// answer: cuts_or_pads
// Changes the length of the order first, and then takes every world_size-th element.
namespace cuts_or_pads {
std::vector<std::size_t> indices_of_rank(std::size_t size, const Sampling& s) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < size; ++i) order.push_back(i);
  if (s.shuffle) {
    std::mt19937 random(static_cast<unsigned>(s.seed + s.epoch));
    for (std::size_t i = size; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  }
  const auto n = static_cast<std::size_t>(s.world_size);
  if (s.drop_last)
    order.resize(size - size % n);
  else
    for (std::size_t i = 0; size > 0 && order.size() % n; ++i) order.push_back(order[i]);
  std::vector<std::size_t> mine;
  for (auto i = static_cast<std::size_t>(s.rank); i < order.size(); i += n)
    mine.push_back(order[i]);
  return mine;
}
}  // namespace cuts_or_pads
