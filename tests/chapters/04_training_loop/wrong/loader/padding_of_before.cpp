// expect: the padding, in memory that held other values before
// The padding is never written. Right in new memory, which is often all zeros.
#include <algorithm>
#include <utility>

#include "exercises.h"

Batch collate(const std::vector<Batch>& samples) {
  std::int64_t longest = 0;
  for (const Batch& sample : samples) longest = std::max(longest, sample.data.size(0));
  const Batch& first = samples[0];
  std::vector<std::int64_t> sizes = {static_cast<std::int64_t>(samples.size()), longest};
  for (std::int64_t d = 1; d < first.data.dim(); ++d) sizes.push_back(first.data.size(d));
  const td::Tensor data =
      td::empty(sizes, td::TensorOptions(first.data.dtype()).pinned_memory(true));
  std::vector<td::Tensor> targets;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const td::Tensor& from = samples[i].data;
    data[static_cast<std::int64_t>(i)].slice(0, 0, from.size(0)).copy_(from);
    targets.push_back(samples[i].target);
  }
  return {data, td::stack(targets).pin_memory()};
}

// Each argument initializes the member of the same name.
Loader::Loader(Get get, std::int64_t size, std::int64_t batch_size)
    : get_(std::move(get)), size_(size), batch_size_(batch_size) {}

void Loader::begin() {
  const td::Tensor order = td::randperm(size_, td::TensorOptions(td::kInt64));
  order_.assign(order.data_ptr<std::int64_t>(), order.data_ptr<std::int64_t>() + size_);
  position_ = 0;
}

std::optional<Batch> Loader::next() {
  std::vector<Batch> samples;
  while (position_ < order_.size() && std::ssize(samples) < batch_size_)
    samples.push_back(get_(order_[position_++]));
  if (samples.empty()) return std::nullopt;
  return collate(samples);
}
