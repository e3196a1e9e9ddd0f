// expect: the same seed gave different orders
// Random, but no seed repeats it.
#include <algorithm>
#include <random>
#include <utility>

#include "exercises.h"

Batch collate(const std::vector<Batch>& samples) {
  std::int64_t longest = 0;
  for (const Batch& s : samples) longest = std::max(longest, s.data.size(0));
  std::vector<td::Tensor> rows, targets;
  for (const Batch& s : samples) {
    std::vector<std::int64_t> sizes(s.data.sizes().begin(), s.data.sizes().end());
    sizes[0] = longest - s.data.size(0);
    rows.push_back(td::cat({s.data, td::zeros(sizes, td::TensorOptions(s.data.dtype()))}));
    targets.push_back(s.target);
  }
  return {td::stack(rows).pin_memory(), td::stack(targets).pin_memory()};
}

Loader::Loader(Get get, std::int64_t size, std::int64_t batch_size)
    : get_(std::move(get)), size_(size), batch_size_(batch_size) {}

void Loader::begin() {
  order_.clear();
  for (std::int64_t i = 0; i < size_; ++i) order_.push_back(i);
  std::shuffle(order_.begin(), order_.end(), std::mt19937(std::random_device()()));
  position_ = 0;
}

std::optional<Batch> Loader::next() {
  std::vector<Batch> samples;
  for (std::int64_t i = 0; i < batch_size_ && position_ < order_.size(); ++i)
    samples.push_back(get_(order_[position_++]));
  if (samples.empty()) return std::nullopt;
  return collate(samples);
}
