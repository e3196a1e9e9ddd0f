// The shares and orders of the distributed samplers.
#include "data/distributed_samplers.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "data/samplers.h"

namespace td::data::samplers {

DistributedSampler::DistributedSampler(std::size_t size, std::size_t num_replicas, std::size_t rank,
                                       bool allow_duplicates)
    : size_(size), num_replicas_(num_replicas), rank_(rank), allow_duplicates_(allow_duplicates) {
  TD_CHECK(Error, rank < num_replicas, "distributed sampler: rank ", rank, " of ", num_replicas,
           " replicas does not exist; ranks count from 0");
}

std::size_t DistributedSampler::local_sample_count() const {
  return (size_ + (allow_duplicates_ ? num_replicas_ - 1 : 0)) / num_replicas_;
}

void DistributedSampler::share(std::size_t size) {
  size_ = size;
  begin_index_ = rank_ * local_sample_count();
  end_index_ = begin_index_ + local_sample_count();
  sample_index_ = begin_index_;
}

std::vector<std::size_t> DistributedSampler::next_places(std::size_t batch_size) {
  std::vector<std::size_t> places(std::min(batch_size, end_index_ - sample_index_));
  std::iota(places.begin(), places.end(), sample_index_);
  sample_index_ += places.size();
  return places;
}

NamedTensors DistributedSampler::state_dict(optional<std::size_t> given) const {
  const std::size_t local = end_index_ - begin_index_;
  NamedTensors state("Entry");
  state.insert("size", count_entry(size_));
  state.insert("epoch", count_entry(epoch_));
  state.insert("index", count_entry(std::min(given.value_or(sample_index_ - begin_index_), local)));
  return state;
}

void DistributedSampler::load_state_dict(const NamedTensors& state) {
  check_size(number_in(state, "size"), size_);
  const std::size_t index = count_of(state, "index", end_index_ - begin_index_);
  epoch_ = count_of(state, "epoch", std::numeric_limits<std::int64_t>::max());
  reset();
  sample_index_ = begin_index_ + index;
}

DistributedRandomSampler::DistributedRandomSampler(std::size_t size, std::size_t num_replicas,
                                                   std::size_t rank, bool allow_duplicates)
    : DistributedSampler(size, num_replicas, rank, allow_duplicates) {
  reset(size);
}

void DistributedRandomSampler::reset(optional<std::size_t> new_size) {
  share(new_size.value_or(size_));
  // Places beyond the last item begin again at the front: these are the duplicates.
  order_.resize(num_replicas_ == 1 ? size_ : local_sample_count() * num_replicas_);
  for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i % size_;
  std::mt19937 random(static_cast<std::mt19937::result_type>(epoch_));
  std::shuffle(order_.begin(), order_.end(), random);
}

optional<std::vector<std::size_t>> DistributedRandomSampler::next(std::size_t batch_size) {
  std::vector<std::size_t> batch = next_places(batch_size);
  if (batch.empty()) return nullopt;
  for (std::size_t& place : batch) place = order_[place];
  return batch;
}

DistributedSequentialSampler::DistributedSequentialSampler(std::size_t size,
                                                           std::size_t num_replicas,
                                                           std::size_t rank, bool allow_duplicates)
    : DistributedSampler(size, num_replicas, rank, allow_duplicates) {
  reset(size);
}

void DistributedSequentialSampler::reset(optional<std::size_t> new_size) {
  share(new_size.value_or(size_));
}

optional<std::vector<std::size_t>> DistributedSequentialSampler::next(std::size_t batch_size) {
  std::vector<std::size_t> batch = next_places(batch_size);
  if (batch.empty()) return nullopt;
  for (std::size_t& place : batch) place %= size_;
  return batch;
}

}  // namespace td::data::samplers
