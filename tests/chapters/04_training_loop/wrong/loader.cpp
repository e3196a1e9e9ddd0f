#include "exercises.h"

#include <algorithm>
#include <random>
#include <utility>

// answer: cuts_to_the_shortest
// expect: the data of two samples with 3 and 1 elements
// Cuts instead of padding.
#ifdef cuts_to_the_shortest
Batch collate(const std::vector<Batch>& samples) {
  std::int64_t shortest = samples[0].data.size(0);
  for (const Batch& s : samples) shortest = std::min(shortest, s.data.size(0));
  std::vector<td::Tensor> rows, targets;
  for (const Batch& s : samples) {
    rows.push_back(s.data.slice(0, 0, shortest));
    targets.push_back(s.target);
  }
  return {td::stack(rows).pin_memory(), td::stack(targets).pin_memory()};
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
#endif  // cuts_to_the_shortest

// answer: drops_the_rest
// expect: different samples were returned
// Right when the batch size divides the number of samples.
#ifdef drops_the_rest
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
  const td::Tensor order = td::randperm(size_, td::TensorOptions(td::kInt64));
  order_.assign(order.data_ptr<std::int64_t>(), order.data_ptr<std::int64_t>() + size_);
  position_ = 0;
}

std::optional<Batch> Loader::next() {
  std::vector<Batch> samples;
  for (std::int64_t i = 0; i < batch_size_ && position_ < order_.size(); ++i)
    samples.push_back(get_(order_[position_++]));
  if (static_cast<std::int64_t>(samples.size()) < batch_size_) return std::nullopt;
  return collate(samples);
}
#endif  // drops_the_rest

// answer: goes_on
// expect: after begin() in the middle of an epoch
// Right when every epoch runs to its end.
#ifdef goes_on
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
  const td::Tensor order = td::randperm(size_, td::TensorOptions(td::kInt64));
  order_.assign(order.data_ptr<std::int64_t>(), order.data_ptr<std::int64_t>() + size_);
  if (position_ >= order_.size()) position_ = 0;
}

std::optional<Batch> Loader::next() {
  std::vector<Batch> samples;
  for (std::int64_t i = 0; i < batch_size_ && position_ < order_.size(); ++i)
    samples.push_back(get_(order_[position_++]));
  if (samples.empty()) return std::nullopt;
  return collate(samples);
}
#endif  // goes_on

// answer: never_shuffles
// expect: the first epoch is not in a random order
#ifdef never_shuffles
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
  position_ = 0;
}

std::optional<Batch> Loader::next() {
  std::vector<Batch> samples;
  for (std::int64_t i = 0; i < batch_size_ && position_ < order_.size(); ++i)
    samples.push_back(get_(order_[position_++]));
  if (samples.empty()) return std::nullopt;
  return collate(samples);
}
#endif  // never_shuffles

// answer: one_order
// expect: the second epoch has the order of the first one
// The order is made once.
#ifdef one_order
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
  position_ = 0;
  if (!order_.empty()) return;
  const td::Tensor order = td::randperm(size_, td::TensorOptions(td::kInt64));
  order_.assign(order.data_ptr<std::int64_t>(), order.data_ptr<std::int64_t>() + size_);
}

std::optional<Batch> Loader::next() {
  std::vector<Batch> samples;
  for (std::int64_t i = 0; i < batch_size_ && position_ < order_.size(); ++i)
    samples.push_back(get_(order_[position_++]));
  if (samples.empty()) return std::nullopt;
  return collate(samples);
}
#endif  // one_order

// answer: own_generator
// expect: the same seed gave different orders
// Random, but no seed repeats it.
#ifdef own_generator
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
#endif  // own_generator

// answer: padding_of_before
// expect: the padding, in memory that held other values before
// The padding is never written. Right in new memory, which is often all zeros.
#ifdef padding_of_before
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
#endif  // padding_of_before

// answer: pads_at_the_front
// expect: the data of two samples with 3 and 1 elements
#ifdef pads_at_the_front
Batch collate(const std::vector<Batch>& samples) {
  std::int64_t longest = 0;
  for (const Batch& s : samples) longest = std::max(longest, s.data.size(0));
  std::vector<td::Tensor> rows, targets;
  for (const Batch& s : samples) {
    std::vector<std::int64_t> sizes(s.data.sizes().begin(), s.data.sizes().end());
    sizes[0] = longest - s.data.size(0);
    rows.push_back(td::cat({td::zeros(sizes, td::TensorOptions(s.data.dtype())), s.data}));
    targets.push_back(s.target);
  }
  return {td::stack(rows).pin_memory(), td::stack(targets).pin_memory()};
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
#endif  // pads_at_the_front

// answer: pads_with_floats
// expect: integer data: expected elements of type int64, got float32
// Padding of float32 turns integers into floats.
#ifdef pads_with_floats
Batch collate(const std::vector<Batch>& samples) {
  std::int64_t longest = 0;
  for (const Batch& s : samples) longest = std::max(longest, s.data.size(0));
  std::vector<td::Tensor> rows, targets;
  for (const Batch& s : samples) {
    std::vector<std::int64_t> sizes(s.data.sizes().begin(), s.data.sizes().end());
    sizes[0] = longest - s.data.size(0);
    rows.push_back(td::cat({s.data.to(td::kFloat32), td::zeros(sizes)}));
    targets.push_back(s.target);
  }
  return {td::stack(rows).pin_memory(), td::stack(targets).pin_memory()};
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
#endif  // pads_with_floats

// answer: pageable_memory
// expect: the data of a batch is not in pinned memory
#ifdef pageable_memory
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
#endif  // pageable_memory

// answer: pageable_targets
// expect: the target of a batch is not in pinned memory
// Pins the larger tensor only.
#ifdef pageable_targets
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
  return {td::stack(rows).pin_memory(), td::stack(targets)};
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
#endif  // pageable_targets

// answer: starts_again
// expect: a batch came after the end of the epoch
// Begins the next epoch by itself.
#ifdef starts_again
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
  const td::Tensor order = td::randperm(size_, td::TensorOptions(td::kInt64));
  order_.assign(order.data_ptr<std::int64_t>(), order.data_ptr<std::int64_t>() + size_);
  position_ = 0;
}

std::optional<Batch> Loader::next() {
  std::vector<Batch> samples;
  for (std::int64_t i = 0; i < batch_size_ && position_ < order_.size(); ++i)
    samples.push_back(get_(order_[position_++]));
  if (samples.empty()) {
    if (!order_.empty()) begin();
    return std::nullopt;
  }
  return collate(samples);
}
#endif  // starts_again

// answer: with_replacement
// expect: different samples were returned
// Draws each sample independently: some come twice, some never.
#ifdef with_replacement
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
  const td::Tensor order =
      td::randint(0, std::max<std::int64_t>(1, size_), {size_}, td::TensorOptions(td::kInt64));
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
#endif  // with_replacement

// answer: turned_order
// expect: the same seed before each begin() gave different orders
// The order is made once. Each later epoch begins with its second sample.
#ifdef turned_order
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
  position_ = 0;
  if (!order_.empty()) {
    std::rotate(order_.begin(), order_.begin() + 1, order_.end());
    return;
  }
  const td::Tensor order = td::randperm(size_, td::TensorOptions(td::kInt64));
  order_.assign(order.data_ptr<std::int64_t>(), order.data_ptr<std::int64_t>() + size_);
}

std::optional<Batch> Loader::next() {
  std::vector<Batch> samples;
  for (std::int64_t i = 0; i < batch_size_ && position_ < order_.size(); ++i)
    samples.push_back(get_(order_[position_++]));
  if (samples.empty()) return std::nullopt;
  return collate(samples);
}
#endif  // turned_order
