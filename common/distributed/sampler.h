// Python's DistributedSampler: which items of a dataset a rank trains on. Given to
// make_data_loader. libtorch's samplers for the same purpose, which cut the order into blocks where
// this one deals it out like cards, are in data/distributed_samplers.h.
#pragma once

#include "td/base/arg.h"
#include "data/samplers.h"

namespace td::distributed {

/// Settings, with Python's names and defaults.
struct DistributedSamplerOptions {
  /// Ranks, and which of them this is; by default those of the default group.
  ///@{
  TD_ARG(optional<int>, num_replicas) = nullopt;
  TD_ARG(optional<int>, rank) = nullopt;
  ///@}
  /// A new order for every epoch; else 0, 1, 2, ...
  TD_ARG(bool, shuffle) = true;
  /// The orders depend on it; the same number on all ranks.
  TD_ARG(std::uint64_t, seed) = 0;
  /// Leaves out the last items where they do not go round; else the first ones are given twice.
  TD_ARG(bool, drop_last) = false;
};

/// Rank r of n gets the places r, r + n, r + 2n, ... of an order of all items, drawn from seed +
/// epoch, which is the order that PyTorch draws. All ranks get equally many.
class DistributedSampler : public data::samplers::Sampler<> {
 public:
  /// @param size items of the dataset.
  /// @throws Error for a rank that does not exist.
  explicit DistributedSampler(std::size_t size, const DistributedSamplerOptions& options = {});

  /// Says which epoch comes next, with the same number on all ranks.
  void set_epoch(std::uint64_t epoch);
  /// What set_epoch was given last; 0 before.
  std::uint64_t epoch() const { return epoch_; }
  /// Starts the epoch. @throws Error when its order was given already: PyTorch repeats it for ever
  /// in silence when set_epoch is forgotten. To repeat it on purpose, set the same number again.
  void reset(optional<std::size_t> new_size = nullopt) override;
  optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
  NamedTensors state_dict(optional<std::size_t> given = nullopt) const override;
  void load_state_dict(const NamedTensors& state) override;

  /// Items that this rank gets in an epoch.
  std::size_t size() const { return share_; }
  /// How many of them are given a second time, at the end of the epoch: an evaluation must not
  /// count these.
  std::size_t padding() const;

 private:
  void draw();

  DistributedSamplerOptions options_;
  std::size_t items_, replicas_, rank_, share_ = 0;
  std::uint64_t epoch_ = 0;
  std::vector<std::size_t> order_;
  std::size_t given_ = 0;        // items of this epoch
  bool must_set_epoch_ = false;  // this epoch's order has been used
};

}  // namespace td::distributed
