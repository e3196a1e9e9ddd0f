// The samplers' orders.
#include "td/data/samplers.h"

#include <algorithm>

#include "td/ops/ops.h"

namespace td::data::samplers {

void SequentialSampler::reset(optional<std::size_t> new_size) {
  size_ = new_size.value_or(size_);
  index_ = 0;
}

optional<std::vector<std::size_t>> SequentialSampler::next(std::size_t batch_size) {
  if (index_ >= size_) return nullopt;
  std::vector<std::size_t> batch(std::min(batch_size, size_ - index_));
  for (std::size_t& item : batch) item = index_++;
  return batch;
}

RandomSampler::RandomSampler(std::size_t size) : order_(size) { reset(); }

void RandomSampler::reset(optional<std::size_t> new_size) {
  order_.resize(new_size.value_or(order_.size()));
  index_ = 0;
  const Tensor order = randperm(static_cast<std::int64_t>(order_.size()));
  const std::int64_t* from = order.data_ptr<std::int64_t>();
  std::copy(from, from + order_.size(), order_.begin());
}

optional<std::vector<std::size_t>> RandomSampler::next(std::size_t batch_size) {
  if (index_ >= order_.size()) return nullopt;
  const std::size_t count = std::min(batch_size, order_.size() - index_);
  const auto from = order_.begin() + static_cast<std::ptrdiff_t>(index_);
  index_ += count;
  return std::vector<std::size_t>(from, from + static_cast<std::ptrdiff_t>(count));
}

}  // namespace td::data::samplers
