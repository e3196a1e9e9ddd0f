// The shares and orders of the distributed samplers.
#include "td/data/distributed_samplers.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "td/base/error.h"

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

DistributedRandomSampler::DistributedRandomSampler(std::size_t size, std::size_t num_replicas,
                                                   std::size_t rank, bool allow_duplicates)
    : DistributedSampler(size, num_replicas, rank, allow_duplicates) {
  reset(size);
}

void DistributedRandomSampler::reset(optional<std::size_t> new_size) {
  share(new_size.value_or(size_));
  // Places beyond the last item begin again at the front: these are the duplicates. Where ranks
  // leave items out, the shuffle decides which.
  order_.resize(std::max(size_, local_sample_count() * num_replicas_));
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
