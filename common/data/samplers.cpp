// The samplers' orders.
#include "data/samplers.h"

#include <algorithm>

#include "td/ops/ops.h"

namespace td::data::samplers {

Tensor count_entry(std::size_t count) { return number_entry(static_cast<std::int64_t>(count)); }

std::size_t count_of(const NamedTensors& state, const char* name, std::size_t limit) {
  const std::int64_t count = number_in(state, name);
  TD_CHECK(Error, count >= 0 && static_cast<std::size_t>(count) <= limit, "load_state_dict: ", name,
           " is ", count, " in the state; expected 0 to ", limit,
           ", as the dataset has that many items");
  return static_cast<std::size_t>(count);
}

void check_size(std::int64_t state, std::size_t here) {
  TD_CHECK(Error, state == static_cast<std::int64_t>(here), "load_state_dict: the state is of a ",
           "dataset of ", state, " items but this one has ", here);
}

NamedTensors SamplerBase::state_dict(optional<std::size_t>) const {
  fail<Error>(
      "state_dict: this sampler does not keep its place; override state_dict and "
      "load_state_dict in its class");
}
void SamplerBase::load_state_dict(const NamedTensors&) {
  fail<Error>(
      "load_state_dict: this sampler does not keep its place; override state_dict and "
      "load_state_dict in its class");
}

NamedTensors SequentialSampler::state_dict(optional<std::size_t> given) const {
  NamedTensors state("Entry");
  state.insert("size", count_entry(size_));
  state.insert("index", count_entry(std::min(given.value_or(index_), size_)));
  return state;
}

void SequentialSampler::load_state_dict(const NamedTensors& state) {
  check_size(number_in(state, "size"), size_);
  index_ = count_of(state, "index", size_);
}

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

NamedTensors RandomSampler::state_dict(optional<std::size_t> given) const {
  Tensor order = empty({static_cast<std::int64_t>(order_.size())}, kLong);
  std::copy(order_.begin(), order_.end(), order.data_ptr<std::int64_t>());
  NamedTensors state("Entry");
  state.insert("order", order);
  state.insert("index", count_entry(std::min(given.value_or(index_), order_.size())));
  return state;
}

void RandomSampler::load_state_dict(const NamedTensors& state) {
  TD_CHECK(Error, state["order"].dtype() == kLong, "load_state_dict: \"order\" is ",
           state["order"].dtype(), " in the state; expected int64");
  const Tensor order = state["order"].cpu().contiguous();
  check_size(order.numel(), order_.size());
  const std::int64_t* from = order.data_ptr<std::int64_t>();
  // An index is an address into the dataset; a damaged one must not get that far.
  std::vector<bool> seen(order_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const auto item = static_cast<std::size_t>(from[i]);
    TD_CHECK(Error, item < seen.size() && !seen[item],
             "load_state_dict: the order in the state is ", "no permutation of the dataset's ",
             seen.size(), " items: ", from[i], " at place ", i);
    seen[item] = true;
  }
  index_ = count_of(state, "index", order_.size());
  std::copy(from, from + order_.size(), order_.begin());
}

}  // namespace td::data::samplers
