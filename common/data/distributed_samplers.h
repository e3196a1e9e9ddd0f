// Samplers for training in several processes: each of `num_replicas` processes, told apart by its
// `rank`, gets an equal share of the indices. Names and rules are libtorch's.
// Invariant: all ranks give the same number of indices, so that no process waits for another.
#pragma once

#include "data/samplers.h"

namespace td::data::samplers {

/// What both have in common: the share of this rank, [begin_index_, end_index_) of all places.
class DistributedSampler : public Sampler<> {
 public:
  /// @param size items of the dataset.
  /// @param allow_duplicates when the items cannot be shared evenly, some are given twice; else
  /// the last ones are left out.
  /// @throws Error unless rank < num_replicas.
  DistributedSampler(std::size_t size, std::size_t num_replicas = 1, std::size_t rank = 0,
                     bool allow_duplicates = true);

  /// Seeds the order of the next epoch; call it with the same number in every process, before
  /// reset().
  void set_epoch(std::size_t epoch) { epoch_ = epoch; }
  /// What set_epoch was given last; 0 before.
  std::size_t epoch() const { return epoch_; }
  NamedTensors state_dict(optional<std::size_t> given = nullopt) const override;
  void load_state_dict(const NamedTensors& state) override;
  /// The place in the whole order that comes next.
  std::size_t index() const noexcept { return sample_index_; }

 protected:
  /// How many indices each rank gives.
  std::size_t local_sample_count() const;
  /// Computes this rank's share of `size` items and goes to its beginning.
  void share(std::size_t size);
  /// The next `batch_size` places of the share, fewer at the end; empty after it.
  std::vector<std::size_t> next_places(std::size_t batch_size);

  /// What it was made with, and the epoch.
  ///@{
  std::size_t size_, num_replicas_, rank_, epoch_ = 0;
  bool allow_duplicates_;
  ///@}
  /// The share, and the place in it that comes next.
  ///@{
  std::size_t begin_index_ = 0, end_index_ = 0, sample_index_ = 0;
  ///@}
};

/// Each rank gives its piece of an order that is shuffled by the epoch, alike in every process.
class DistributedRandomSampler : public DistributedSampler {
 public:
  DistributedRandomSampler(std::size_t size, std::size_t num_replicas = 1, std::size_t rank = 0,
                           bool allow_duplicates = true);
  void reset(optional<std::size_t> new_size = nullopt) override;
  optional<std::vector<std::size_t>> next(std::size_t batch_size) override;

 private:
  std::vector<std::size_t> order_;
};

/// Each rank gives its piece of 0, 1, 2, ...
class DistributedSequentialSampler : public DistributedSampler {
 public:
  DistributedSequentialSampler(std::size_t size, std::size_t num_replicas = 1, std::size_t rank = 0,
                               bool allow_duplicates = true);
  void reset(optional<std::size_t> new_size = nullopt) override;
  optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
};

}  // namespace td::data::samplers
