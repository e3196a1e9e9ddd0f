#include "exercises.h"

#include <algorithm>
#include <utility>

// answer: row_by_row
// Copies row by row into pinned memory.
#ifdef row_by_row
Batch collate(const std::vector<Batch>& samples) {
  std::vector<std::int64_t> sizes = {0};
  for (const std::int64_t n : samples[0].data.sizes()) sizes.push_back(n);
  std::vector<std::int64_t> target_sizes = {0};
  for (const std::int64_t n : samples[0].target.sizes()) target_sizes.push_back(n);
  sizes[0] = target_sizes[0] = static_cast<std::int64_t>(samples.size());
  for (const Batch& s : samples) sizes[1] = std::max(sizes[1], s.data.size(0));
  Batch batch(
      td::empty(sizes, td::TensorOptions(samples[0].data.dtype()).pinned_memory(true)),
      td::empty(target_sizes, td::TensorOptions(samples[0].target.dtype()).pinned_memory(true)));
  batch.data.zero_();
  for (std::int64_t i = 0; i < sizes[0]; ++i) {
    const Batch& s = samples[static_cast<std::size_t>(i)];
    if (s.data.numel() > 0) batch.data[i].narrow(0, 0, s.data.size(0)).copy_(s.data);
    batch.target[i].copy_(s.target);
  }
  return batch;
}

Loader::Loader(Get get, std::int64_t size, std::int64_t batch_size)
    : get_(std::move(get)), size_(size), batch_size_(batch_size) {}

void Loader::begin() {
  position_ = 0;
  order_.clear();
  const td::Tensor order = td::randperm(size_);
  for (std::int64_t i = 0; i < size_; ++i) order_.push_back(order[i].item<std::int64_t>());
}

std::optional<Batch> Loader::next() {
  const std::size_t end =
      std::min(order_.size(), position_ + static_cast<std::size_t>(batch_size_));
  if (position_ >= end) return {};
  std::vector<Batch> samples;
  for (; position_ < end; ++position_) samples.emplace_back(get_(order_[position_]));
  return collate(samples);
}
#endif  // row_by_row
