// The order in which a loader requests items. A sampler returns lists of indices until the epoch
// ends; `reset` starts the next one. Not thread-safe.
//
// The distributed samplers are for training in several processes: each of `num_replicas` processes,
// told apart by its `rank`, gets an equal share of the indices. The two classes at the end have
// libtorch's names and rules; td::distributed::DistributedSampler (distributed/sampler.h) has
// Python's. Invariant: all ranks return the same number of indices, so that no process waits for
// another.
#pragma once

#include <cstdint>
#include <vector>

#include "td/ops/state.h"

namespace td::data::samplers {

/// @throws Error: a sampler that does not override `function` cannot be saved within an epoch.
[[noreturn]] void fail_without_state(const char* function);

/// Base of samplers. By default, a batch request is a list of indices.
template <class BatchRequest = std::vector<std::size_t>>
class Sampler {
 public:
  virtual ~Sampler() = default;
  /// Starts an epoch. @param new_size items of the dataset, when it has changed.
  virtual void reset(optional<std::size_t> new_size = nullopt) = 0;
  /// Returns the next `batch_size` indices, fewer at the end, nullopt after it.
  virtual optional<BatchRequest> next(std::size_t batch_size) = 0;
  /// Returns the state to resume from within an epoch: the current position, or the position after
  /// `given` items of this epoch. @throws Error from a sampler that does not support it.
  virtual NamedTensors state_dict(optional<std::size_t> /*given*/ = nullopt) const {
    fail_without_state("state_dict");
  }
  /// Restores a state. @throws Error when it is of a dataset of another size; nothing is changed.
  virtual void load_state_dict(const NamedTensors&) { fail_without_state("load_state_dict"); }
};

/// Base of the samplers below, which return item(0), item(1), ... item(share() - 1) in an epoch.
class IndexSamplerBase : public Sampler<> {
 public:
  void reset(optional<std::size_t> new_size = nullopt) override;
  optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
  NamedTensors state_dict(optional<std::size_t> given = nullopt) const override;
  void load_state_dict(const NamedTensors& state) override;
  /// Returns the number of items returned in this epoch.
  std::size_t index() const noexcept { return given_; }

 protected:
  /// @param size items of the dataset.
  explicit IndexSamplerBase(std::size_t size) : size_(size) {}
  /// The number of indices in an epoch.
  virtual std::size_t share() const { return size_; }
  /// Index number `i` of the epoch.
  virtual std::size_t item(std::size_t i) const = 0;

  std::size_t size_;       ///< items of the dataset
  std::size_t given_ = 0;  ///< indices returned in this epoch
};

/// 0, 1, 2, ...
class SequentialSampler : public IndexSamplerBase {
 public:
  explicit SequentialSampler(std::size_t size) : IndexSamplerBase(size) {}

 private:
  std::size_t item(std::size_t i) const override { return i; }
};

/// Every index once, in a new random order for each epoch, from the seed of manual_seed.
class RandomSampler : public IndexSamplerBase {
 public:
  explicit RandomSampler(std::size_t size) : IndexSamplerBase(size) { reset(); }
  void reset(optional<std::size_t> new_size = nullopt) override;
  NamedTensors state_dict(optional<std::size_t> given = nullopt) const override;
  void load_state_dict(const NamedTensors& state) override;

 private:
  std::size_t item(std::size_t i) const override {
    return static_cast<std::size_t>(order_.data_ptr<std::int64_t>()[i]);
  }

  Tensor order_;  // of all items
};

/// The share of one rank of an order that all ranks draw alike. A derived class draws the order.
class DistributedSampler : public IndexSamplerBase {
 protected:
  /// Which positions of the order rank r of n gets: one block, or r, r + n, r + 2n, ...
  enum class Partition { kContiguous, kInterleaved };

 public:
  /// @param size items of the dataset.
  /// @param allow_duplicates if the items cannot be divided evenly, some are returned twice;
  /// otherwise the last ones are left out.
  /// @throws Error unless rank < num_replicas.
  explicit DistributedSampler(std::size_t size, std::size_t num_replicas = 1, std::size_t rank = 0,
                              bool allow_duplicates = true,
                              Partition partition = Partition::kContiguous);
  /// Sets the epoch whose order the next reset() draws; call it with the same number on all ranks.
  void set_epoch(std::size_t epoch) { epoch_ = epoch; }
  /// The argument of the last set_epoch(); 0 before.
  std::size_t epoch() const { return epoch_; }
  void reset(optional<std::size_t> new_size = nullopt) override;
  NamedTensors state_dict(optional<std::size_t> given = nullopt) const override;
  void load_state_dict(const NamedTensors& state) override;
  /// The position in the whole order of the next index.
  std::size_t index() const noexcept { return position(given_); }

 protected:
  /// The order of this epoch; empty: 0, 1, 2, ... Positions after its end start again at its front.
  virtual std::vector<std::size_t> draw() const { return {}; }
  std::size_t share() const override {
    return (size_ + (allow_duplicates_ ? num_replicas_ - 1 : 0)) / num_replicas_;
  }
  std::size_t item(std::size_t i) const override {
    return order_.empty() ? position(i) % size_ : order_[position(i) % order_.size()];
  }

  std::size_t num_replicas_;  ///< the constructor's argument
  std::size_t rank_;          ///< likewise
  std::size_t epoch_ = 0;     ///< the argument of the last set_epoch()
  bool allow_duplicates_;     ///< the constructor's argument

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
      : DistributedSampler(size, num_replicas, rank, allow_duplicates) {
    reset();
  }

 protected:
  std::vector<std::size_t> draw() const override;
};

/// Each rank returns its block of 0, 1, 2, ...
class DistributedSequentialSampler : public DistributedSampler {
 public:
  using DistributedSampler::DistributedSampler;
};

}  // namespace td::data::samplers
