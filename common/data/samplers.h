// The order in which a loader requests items. A sampler returns lists of indices until the epoch
// ends; `reset` starts the next one. Not thread-safe.
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
  /// Returns the state to resume from within an epoch: the current position, or the position after
  /// `given` items of this epoch. @throws Error from a sampler that does not support it.
  virtual NamedTensors state_dict(optional<std::size_t> given = nullopt) const;
  /// Restores a state. @throws Error when it is of a dataset of another size; nothing is changed.
  virtual void load_state_dict(const NamedTensors& state);
};

/// Base of samplers. By default, a batch request is a list of indices.
template <class BatchRequest = std::vector<std::size_t>>
class Sampler : public SamplerBase {
 public:
  using BatchRequestType = BatchRequest;
  /// Returns the next `batch_size` indices, fewer at the end, nullopt after it.
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
  /// Returns the number of items returned in this epoch.
  std::size_t index() const noexcept { return index_; }

 private:
  std::size_t size_, index_ = 0;
};

/// Every index once, in a new random order for each epoch, from the seed of manual_seed.
class RandomSampler : public Sampler<> {
 public:
  explicit RandomSampler(std::size_t size);
  void reset(optional<std::size_t> new_size = nullopt) override;
  optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
  NamedTensors state_dict(optional<std::size_t> given = nullopt) const override;
  void load_state_dict(const NamedTensors& state) override;
  /// Returns the number of items returned in this epoch.
  std::size_t index() const noexcept { return index_; }

 private:
  std::vector<std::size_t> order_;
  std::size_t index_ = 0;
};

/// For the state_dict() of samplers: a count as a 0-dimensional int64 tensor.
Tensor count_entry(std::size_t count);
/// Returns the number `name` of a state. @throws Error unless it is from 0 to `limit`.
std::size_t count_of(const NamedTensors& state, const char* name, std::size_t limit);
/// @throws Error when the state is of a dataset of another size.
void check_size(std::int64_t state, std::size_t here);

}  // namespace td::data::samplers
