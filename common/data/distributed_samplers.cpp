// How the distributed samplers divide an order among the ranks.
#include "data/distributed_samplers.h"

#include <algorithm>
#include <limits>
#include <random>

#include "data/samplers.h"

namespace td::data::samplers {

DistributedSampler::DistributedSampler(std::size_t size, std::size_t num_replicas, std::size_t rank,
                                       bool allow_duplicates, Partition partition)
    : size_(size),
      num_replicas_(num_replicas),
      rank_(rank),
      allow_duplicates_(allow_duplicates),
      partition_(partition) {
  TD_CHECK(Error, rank < num_replicas, "distributed sampler: rank ", rank, " of ", num_replicas,
           " replicas does not exist; ranks count from 0");
}

void DistributedSampler::start_epoch() {
  given_ = 0;
  order_ = draw();
}

void DistributedSampler::reset(optional<std::size_t> new_size) {
  size_ = new_size.value_or(size_);
  start_epoch();
}

optional<std::vector<std::size_t>> DistributedSampler::next(std::size_t batch_size) {
  if (given_ == share()) return nullopt;
  std::vector<std::size_t> batch(std::min(batch_size, share() - given_));
  for (std::size_t& item : batch) {
    const std::size_t at = position(given_++);
    item = order_.empty() ? at % size_ : order_[at % order_.size()];
  }
  return batch;
}

NamedTensors DistributedSampler::state_dict(optional<std::size_t> given) const {
  NamedTensors state("Entry");
  state.insert("size", count_entry(size_));
  state.insert("epoch", count_entry(epoch_));
  state.insert("index", count_entry(std::min(given.value_or(given_), share())));
  return state;
}

void DistributedSampler::load_state_dict(const NamedTensors& state) {
  check_size(number_in(state, "size"), size_);
  const std::size_t index = count_of(state, "index", share());
  epoch_ = count_of(state, "epoch", std::numeric_limits<std::int64_t>::max());
  start_epoch();
  given_ = index;
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
