// The samplers' orders, and how the distributed ones divide an order among the ranks.
#include "data/samplers.h"

#include <algorithm>
#include <limits>
#include <random>

#include "td/ops/ops.h"

namespace td::data::samplers {
namespace {

Tensor count_entry(std::size_t count) { return number_entry(static_cast<std::int64_t>(count)); }

/// Returns the number `name` of a state. @throws Error unless it is from 0 to `limit`.
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

}  // namespace

void fail_without_state(const char* function) {
  fail<Error>(function,
              ": this sampler does not keep its place; override state_dict and load_state_dict in "
              "its class");
}

void IndexSamplerBase::reset(optional<std::size_t> new_size) {
  size_ = new_size.value_or(size_);
  given_ = 0;
}

optional<std::vector<std::size_t>> IndexSamplerBase::next(std::size_t batch_size) {
  if (given_ >= share()) return nullopt;
  std::vector<std::size_t> batch(std::min(batch_size, share() - given_));
  for (std::size_t& index : batch) index = item(given_++);
  return batch;
}

NamedTensors IndexSamplerBase::state_dict(optional<std::size_t> given) const {
  NamedTensors state("Entry");
  state.insert("size", count_entry(size_));
  state.insert("index", count_entry(std::min(given.value_or(given_), share())));
  return state;
}

void IndexSamplerBase::load_state_dict(const NamedTensors& state) {
  check_size(number_in(state, "size"), size_);
  given_ = count_of(state, "index", share());
}

void RandomSampler::reset(optional<std::size_t> new_size) {
  IndexSamplerBase::reset(new_size);
  order_ = randperm(static_cast<std::int64_t>(size_));
}

NamedTensors RandomSampler::state_dict(optional<std::size_t> given) const {
  NamedTensors state = IndexSamplerBase::state_dict(given);
  state.erase("size");  // the order has it
  state.insert("order", order_.clone());
  return state;
}

void RandomSampler::load_state_dict(const NamedTensors& state) {
  TD_CHECK(Error, state["order"].dtype() == kLong, "load_state_dict: \"order\" is ",
           state["order"].dtype(), " in the state; expected int64");
  const Tensor order = state["order"].cpu().contiguous();
  check_size(order.numel(), size_);
  const std::int64_t* from = order.data_ptr<std::int64_t>();
  // A damaged index must be found here, because an index selects memory of the dataset.
  std::vector<bool> seen(size_);
  for (std::size_t i = 0; i < size_; ++i) {
    const auto item = static_cast<std::size_t>(from[i]);
    TD_CHECK(Error, item < seen.size() && !seen[item],
             "load_state_dict: the order in the state is ", "no permutation of the dataset's ",
             seen.size(), " items: ", from[i], " at place ", i);
    seen[item] = true;
  }
  given_ = count_of(state, "index", size_);
  order_ = order.clone();
}

DistributedSampler::DistributedSampler(std::size_t size, std::size_t num_replicas, std::size_t rank,
                                       bool allow_duplicates, Partition partition)
    : IndexSamplerBase(size),
      num_replicas_(num_replicas),
      rank_(rank),
      allow_duplicates_(allow_duplicates),
      partition_(partition) {
  TD_CHECK(Error, rank < num_replicas, "distributed sampler: rank ", rank, " of ", num_replicas,
           " replicas does not exist; ranks count from 0");
}

void DistributedSampler::reset(optional<std::size_t> new_size) {
  IndexSamplerBase::reset(new_size);
  order_ = draw();
}

NamedTensors DistributedSampler::state_dict(optional<std::size_t> given) const {
  NamedTensors state = IndexSamplerBase::state_dict(given);
  state.insert("epoch", count_entry(epoch_));
  return state;
}

void DistributedSampler::load_state_dict(const NamedTensors& state) {
  const std::size_t epoch = count_of(state, "epoch", std::numeric_limits<std::int64_t>::max());
  IndexSamplerBase::load_state_dict(state);
  epoch_ = epoch;
  order_ = draw();
}

std::vector<std::size_t> DistributedRandomSampler::draw() const {
  // libtorch pads the order, or shortens it, before it shuffles.
  std::vector<std::size_t> order(num_replicas_ == 1 ? size_ : share() * num_replicas_);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i % size_;
  std::mt19937 random(static_cast<std::mt19937::result_type>(epoch_));
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

}  // namespace td::data::samplers
