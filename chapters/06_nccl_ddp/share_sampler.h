// A sampler for loaders that gives one rank its samples, which the exercise indices_of_rank
// chooses. Included by train. Invariant: all ranks call set_epoch with the same number.
#pragma once

#include <algorithm>

#include "exercises.h"

/// Gives the samples of one rank to a loader. Call set_epoch before each epoch.
class ShareSampler : public td::data::samplers::Sampler<> {
 public:
  ShareSampler(std::size_t size, const Sampling& sampling) : size_(size), sampling_(sampling) {}
  void set_epoch(std::uint64_t epoch) { sampling_.epoch = epoch; }
  void reset(td::optional<std::size_t> = td::nullopt) override {
    mine_ = indices_of_rank(size_, sampling_);
    next_ = 0;
  }
  td::optional<std::vector<std::size_t>> next(std::size_t batch_size) override {
    if (next_ == mine_.size()) return td::nullopt;
    const std::size_t begin = next_;
    next_ = std::min(begin + batch_size, mine_.size());
    return std::vector<std::size_t>(mine_.data() + begin, mine_.data() + next_);
  }

 private:
  std::size_t size_, next_ = 0;
  Sampling sampling_;
  std::vector<std::size_t> mine_;
};
