// expect: the data of a batch is not in pinned memory
#include <algorithm>
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
  return {td::stack(rows), td::stack(targets)};
}

Loader::Loader(Get get, std::int64_t size, std::int64_t batch_size)
    : get_(std::move(get)), size_(size), batch_size_(batch_size) {}

void Loader::begin() {
  const td::Tensor order = td::randperm(size_, td::TensorOptions(td::kInt64));
  order_.assign(order.data_ptr<std::int64_t>(), order.data_ptr<std::int64_t>() + size_);
  position_ = 0;
}

std::optional<Batch> Loader::next() {
  std::vector<Batch> samples;
  for (std::int64_t i = 0; i < batch_size_ && position_ < order_.size(); ++i)
    samples.push_back(get_(order_[position_++]));
  if (samples.empty()) return std::nullopt;
  return collate(samples);
}
