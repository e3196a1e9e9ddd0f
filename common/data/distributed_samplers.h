// Samplers for training in several processes: each of `num_replicas` processes, told apart by its
// `rank`, gets an equal share of the indices. The two classes at the end have libtorch's names and
// rules; td::distributed::DistributedSampler (distributed/sampler.h) has Python's.
// Invariant: all ranks return the same number of indices, so that no process waits for another.
#pragma once

#include "data/samplers.h"

namespace td::data::samplers {

/// The share of one rank of an order that all ranks draw alike. A derived class draws the order.
class DistributedSampler : public Sampler<> {
 public:
  /// Sets the epoch whose order the next reset() draws; call it with the same number on all ranks.
  void set_epoch(std::size_t epoch) { epoch_ = epoch; }
  /// The argument of the last set_epoch(); 0 before.
  std::size_t epoch() const { return epoch_; }
  void reset(optional<std::size_t> new_size = nullopt) override;
  optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
  NamedTensors state_dict(optional<std::size_t> given = nullopt) const override;
  void load_state_dict(const NamedTensors& state) override;
  /// The position in the whole order of the next index.
  std::size_t index() const noexcept { return position(given_); }

 protected:
  /// Which positions of the order rank r of n gets: one block, or r, r + n, r + 2n, ...
  enum class Partition { kContiguous, kInterleaved };

  /// @param size items of the dataset.
  /// @param allow_duplicates if the items cannot be divided evenly, some are returned twice;
  /// otherwise the last ones are left out.
  /// @throws Error unless rank < num_replicas.
  DistributedSampler(std::size_t size, std::size_t num_replicas, std::size_t rank,
                     bool allow_duplicates, Partition partition);

  /// The order of this epoch; empty: 0, 1, 2, ... Positions after its end start again at its front.
  virtual std::vector<std::size_t> draw() const { return {}; }
  /// Divides `size_` items and starts the epoch. Derived constructors call it.
  void start_epoch();
  /// Indices per rank and epoch.
  std::size_t share() const {
    return (size_ + (allow_duplicates_ ? num_replicas_ - 1 : 0)) / num_replicas_;
  }

  /// The constructor's arguments, the epoch, and how many of its indices were returned.
  ///@{
  std::size_t size_, num_replicas_, rank_, epoch_ = 0, given_ = 0;
  bool allow_duplicates_;
  ///@}

 private:
  std::size_t position(std::size_t i) const {
    return partition_ == Partition::kContiguous ? rank_ * share() + i : i * num_replicas_ + rank_;
  }

  Partition partition_;
  std::vector<std::size_t> order_;
};

/// Each rank returns its block of an order that is shuffled by the epoch, alike in every process.
class DistributedRandomSampler : public DistributedSampler {
 public:
  explicit DistributedRandomSampler(std::size_t size, std::size_t num_replicas = 1,
                                    std::size_t rank = 0, bool allow_duplicates = true)
      : DistributedSampler(size, num_replicas, rank, allow_duplicates, Partition::kContiguous) {
    start_epoch();
  }

 protected:
  std::vector<std::size_t> draw() const override;
};

/// Each rank returns its block of 0, 1, 2, ...
class DistributedSequentialSampler : public DistributedSampler {
 public:
  explicit DistributedSequentialSampler(std::size_t size, std::size_t num_replicas = 1,
                                        std::size_t rank = 0, bool allow_duplicates = true)
      : DistributedSampler(size, num_replicas, rank, allow_duplicates, Partition::kContiguous) {
    start_epoch();
  }
};

}  // namespace td::data::samplers
