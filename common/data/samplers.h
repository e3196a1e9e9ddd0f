// The order in which a loader asks for items. A sampler gives lists of indices until an epoch is
// over; `reset` starts the next one. Called from one thread only.
#pragma once

#include <cstdint>
#include <vector>

#include "td/ops/state.h"

namespace td::data::samplers {

/// What samplers of all kinds of batches have in common.
class SamplerBase {
 public:
  virtual ~SamplerBase() = default;
  /// Starts an epoch. @param new_size items of the dataset, when it has changed.
  virtual void reset(optional<std::size_t> new_size = nullopt) = 0;
  /// What is needed to go on in the middle of an epoch: where the sampler stands now, or stood when
  /// it had given `given` items of this epoch. @throws Error from a sampler that cannot tell.
  virtual NamedTensors state_dict(optional<std::size_t> given = nullopt) const;
  /// Puts a state back. @throws Error when it is of a dataset of another size; nothing is changed.
  virtual void load_state_dict(const NamedTensors& state);
};

/// Base of samplers. A batch is asked for by a list of indices, unless said otherwise.
template <class BatchRequest = std::vector<std::size_t>>
class Sampler : public SamplerBase {
 public:
  using BatchRequestType = BatchRequest;
  /// The next `batch_size` indices, fewer at the end, nullopt after it.
  virtual optional<BatchRequest> next(std::size_t batch_size) = 0;
};

/// 0, 1, 2, ...
class SequentialSampler : public Sampler<> {
 public:
  explicit SequentialSampler(std::size_t size) : size_(size) {}
  void reset(optional<std::size_t> new_size = nullopt) override;
  optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
  NamedTensors state_dict(optional<std::size_t> given = nullopt) const override;
  void load_state_dict(const NamedTensors& state) override;
  /// How many items of this epoch were given.
  std::size_t index() const noexcept { return index_; }

 private:
  std::size_t size_, index_ = 0;
};

/// Every index once, in an order drawn anew for each epoch from the seed of manual_seed.
class RandomSampler : public Sampler<> {
 public:
  explicit RandomSampler(std::size_t size);
  void reset(optional<std::size_t> new_size = nullopt) override;
  optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
  NamedTensors state_dict(optional<std::size_t> given = nullopt) const override;
  void load_state_dict(const NamedTensors& state) override;
  /// How many examples were given out.
  std::size_t index() const noexcept { return index_; }

 private:
  std::vector<std::size_t> order_;
  std::size_t index_ = 0;
};

}  // namespace td::data::samplers
