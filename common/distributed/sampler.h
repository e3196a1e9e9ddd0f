// Python's DistributedSampler: which items of a dataset a rank trains on. Passed to
// make_data_loader. It differs from libtorch's samplers (data/samplers.h) in the order
// and in the partition: it interleaves the ranks, and libtorch's samplers return blocks.
#pragma once

#include <numeric>
#include <random>

#include "data/samplers.h"
#include "distributed/distributed.h"
#include "td/base/arg.h"

namespace td::distributed {

/// Settings, with Python's names and defaults.
struct DistributedSamplerOptions {
  /// The number of ranks, and this rank; by default those of the default group.
  ///@{
  TD_ARG(optional<int>, num_replicas) = nullopt;
  TD_ARG(optional<int>, rank) = nullopt;
  ///@}
  /// Draws a new order for every epoch; otherwise 0, 1, 2, ...
  TD_ARG(bool, shuffle) = true;
  /// The orders depend on the seed; pass the same number on all ranks.
  TD_ARG(std::uint64_t, seed) = 0;
  /// Leaves out the last items if they cannot be divided evenly; otherwise the first items are
  /// returned twice.
  TD_ARG(bool, drop_last) = false;
};

/// Rank r of n gets the positions r, r + n, r + 2n, ... of an order of all items, drawn from seed +
/// epoch, which is the order that PyTorch draws. All ranks get the same number of items.
class DistributedSampler : public data::samplers::DistributedSampler {
  using Base = data::samplers::DistributedSampler;

 public:
  /// @param size items of the dataset.
  /// @throws Error for a rank that does not exist.
  explicit DistributedSampler(std::size_t size, const DistributedSamplerOptions& options = {})
      : DistributedSampler(size,
                           options.num_replicas() ? *options.num_replicas() : get_world_size(),
                           options.rank() ? *options.rank() : get_rank(), options) {}

  /// Sets the epoch; call it before each epoch, with the same number on all ranks.
  void set_epoch(std::uint64_t epoch) {
    Base::set_epoch(epoch);
    must_set_epoch_ = false;
  }
  /// Starts the epoch. @throws Error if the order of this epoch was used before: PyTorch repeats it
  /// silently when set_epoch() is forgotten. To repeat it on purpose, set the same epoch again.
  void reset(optional<std::size_t> new_size = nullopt) override {
    TD_CHECK(
        Error, !must_set_epoch_, "DistributedSampler: epoch ", epoch(),
        " would give the same order again; call sampler.set_epoch(epoch) before each epoch, with "
        "the same number on all ranks");
    Base::reset(new_size);
  }
  optional<std::vector<std::size_t>> next(std::size_t batch_size) override {
    auto batch = Base::next(batch_size);
    must_set_epoch_ = must_set_epoch_ || (batch && options_.shuffle());
    return batch;
  }
  void load_state_dict(const NamedTensors& state) override {
    Base::load_state_dict(state);
    must_set_epoch_ = options_.shuffle() && given_ > 0;
  }

  /// Items that this rank gets in an epoch.
  std::size_t size() const { return share(); }
  /// The number of items that are returned a second time, at the end of the epoch. An evaluation
  /// must not count them.
  std::size_t padding() const {
    const std::size_t real = rank_ < size_ ? (size_ - rank_ - 1) / num_replicas_ + 1 : 0;
    return share() > real ? share() - real : 0;
  }

 protected:
  std::vector<std::size_t> draw() const override {
    if (!options_.shuffle()) return {};
    // The algorithm of torch.randperm, so that the order is PyTorch's.
    std::vector<std::size_t> order(size_);
    std::iota(order.begin(), order.end(), 0);
    std::mt19937 random(static_cast<std::mt19937::result_type>(options_.seed() + epoch()));
    for (std::size_t i = 0; i + 1 < size_; ++i)
      std::swap(order[i], order[i + random() % (size_ - i)]);
    return order;
  }

 private:
  DistributedSampler(std::size_t size, int replicas, int rank,
                     const DistributedSamplerOptions& options)
      : Base(size, static_cast<std::size_t>(replicas), checked(rank, replicas),
             !options.drop_last(), Partition::kInterleaved),
        options_(options) {
    Base::reset();
  }
  static std::size_t checked(int rank, int replicas) {
    TD_CHECK(Error, rank >= 0 && rank < replicas, "DistributedSampler: invalid rank ", rank,
             ", rank should be in the interval [0, ", replicas - 1, "]");
    return static_cast<std::size_t>(rank);
  }

  DistributedSamplerOptions options_;
  bool must_set_epoch_ = false;  // the order of this epoch has been used
};

}  // namespace td::distributed
