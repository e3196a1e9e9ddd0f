// The order of an epoch and a rank's part of it.
#include "distributed/sampler.h"

#include <limits>
#include <numeric>
#include <random>

#include "data/samplers.h"
#include "distributed/distributed.h"

namespace td::distributed {

using data::samplers::check_size;
using data::samplers::count_entry;
using data::samplers::count_of;

DistributedSampler::DistributedSampler(std::size_t size, const DistributedSamplerOptions& options)
    : options_(options), items_(size) {
  const int replicas = options.num_replicas() ? *options.num_replicas() : get_world_size();
  const int rank = options.rank() ? *options.rank() : get_rank();
  TD_CHECK(Error, rank >= 0 && rank < replicas, "DistributedSampler: invalid rank ", rank,
           ", rank should be in the interval [0, ", replicas - 1, "]");
  replicas_ = static_cast<std::size_t>(replicas);
  rank_ = static_cast<std::size_t>(rank);
  draw();
}

// The order of this epoch, from its beginning.
void DistributedSampler::draw() {
  share_ = (items_ + (options_.drop_last() ? 0 : replicas_ - 1)) / replicas_;
  given_ = 0;
  order_.resize(items_);
  std::iota(order_.begin(), order_.end(), 0);
  if (!options_.shuffle()) return;
  // As torch.randperm does it, so that the order is PyTorch's.
  std::mt19937 random(static_cast<std::mt19937::result_type>(options_.seed() + epoch_));
  for (std::size_t i = 0; i + 1 < items_; ++i)
    std::swap(order_[i], order_[i + random() % (items_ - i)]);
}

void DistributedSampler::set_epoch(std::uint64_t epoch) {
  epoch_ = epoch;
  must_set_epoch_ = false;
}

void DistributedSampler::reset(optional<std::size_t> new_size) {
  TD_CHECK(
      Error, !must_set_epoch_, "DistributedSampler: epoch ", epoch_,
      " would give the same order again; call sampler.set_epoch(epoch) before each epoch, with "
      "the same number on all ranks");
  items_ = new_size.value_or(items_);
  draw();
}

optional<std::vector<std::size_t>> DistributedSampler::next(std::size_t batch_size) {
  if (given_ == share_) return nullopt;
  must_set_epoch_ = options_.shuffle();
  std::vector<std::size_t> batch(std::min(batch_size, share_ - given_));
  // Behind the last item the order begins again at the front.
  for (std::size_t& item : batch) item = order_[(given_++ * replicas_ + rank_) % items_];
  return batch;
}

std::size_t DistributedSampler::padding() const {
  // Items that go round without padding: places rank, rank + replicas, ... below items_.
  const std::size_t real = rank_ < items_ ? (items_ - rank_ - 1) / replicas_ + 1 : 0;
  return share_ > real ? share_ - real : 0;
}

NamedTensors DistributedSampler::state_dict(optional<std::size_t> given) const {
  NamedTensors state("Entry");
  state.insert("size", count_entry(items_));
  state.insert("epoch", count_entry(static_cast<std::size_t>(epoch_)));
  state.insert("index", count_entry(std::min(given.value_or(given_), share_)));
  return state;
}

void DistributedSampler::load_state_dict(const NamedTensors& state) {
  check_size(number_in(state, "size"), items_);
  const std::size_t index = count_of(state, "index", share_);
  set_epoch(count_of(state, "epoch", std::numeric_limits<std::int64_t>::max()));
  draw();
  given_ = index;
  must_set_epoch_ = options_.shuffle() && index > 0;
}

}  // namespace td::distributed
