// The data loader: worker threads load batches ahead, so that the device does not wait for data.
// `for (auto& batch : *loader)` runs one epoch. A loop may end early, an exception of a worker is
// thrown in the loop, and the threads end with the loader in every case.
#pragma once

#include <chrono>
#include <functional>

#include "data/dataset.h"
#include "data/pipeline.h"
#include "data/samplers.h"
#include "data/transforms.h"
#include "td/base/arg.h"
#include "td/base/objects.h"

namespace td::data {

/// Settings of a loader.
struct DataLoaderOptions {
  DataLoaderOptions() = default;
  DataLoaderOptions(std::size_t batch_size) : batch_size_(batch_size) {}
  /// Items per batch.
  TD_ARG(std::size_t, batch_size) = 1;
  /// Threads that load ahead; 0 loads in the loop itself. With workers, a dataset's random numbers
  /// depend on the seed, the epoch and the batch, and the loop's own numbers stay as they are.
  TD_ARG(std::size_t, workers) = 0;
  /// Batches that a worker may be ahead.
  TD_ARG(std::size_t, prefetch) = 2;
  /// Longest wait for a batch; nullopt waits forever.
  TD_ARG(optional<std::chrono::milliseconds>, timeout) = nullopt;
  /// Returns batches in the sampler's order; otherwise as they are done.
  TD_ARG(bool, enforce_ordering) = true;
  /// Leaves out the last batch when it is not full.
  TD_ARG(bool, drop_last) = false;
  /// Returns batches in pinned memory: Stack makes them there, other batches are copied
  /// (pin_batch).
  TD_ARG(bool, pin_memory) = false;
};

/// A position in an epoch, for a range-based for. Copies share the position: moving one moves all.
/// The first batch is requested when it is first read or compared with end().
/// @tparam prefetches true for an iterator of a Prefetcher, which error messages then name.
template <class Batch, bool prefetches = false>
class Iterator {
 public:
  using Next = std::function<optional<Batch>()>;
  using value_type = Batch;
  using reference = Batch&;
  using pointer = Batch*;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::input_iterator_tag;

  /// The end of any epoch.
  Iterator() = default;
  explicit Iterator(Next next)
      : place_(std::allocate_shared<Place>(ObjectAllocator<Place>(), Place{std::move(next)})) {}
  /// @throws Error past the end; whatever loading the batch throws.
  Iterator& operator++() {
    check("the iterator cannot be moved");
    place_->batch.reset();  // so that the next one may take its memory
    place_->batch = place_->next();
    return *this;
  }
  /// @throws Error past the end; whatever loading the batch throws.
  Batch& operator*() const {
    check("there is no batch to read");
    return *place_->batch;
  }
  Batch* operator->() const { return &**this; }
  /// Copies of one iterator are equal; without further batches they equal end().
  friend bool operator==(const Iterator& a, const Iterator& b) {
    if (a.place_ && b.place_) return a.place_ == b.place_;
    return a.at_end() && b.at_end();
  }

 private:
  struct Place {
    Next next;
    optional<Batch> batch = nullopt;
    bool started = false;
  };
  bool at_end() const {
    if (!place_) return true;
    if (!place_->started) {
      place_->batch = place_->next();
      place_->started = true;
    }
    return !place_->batch;
  }
  void check(const char* problem) const {
    TD_CHECK(Error, !at_end(), prefetches ? "prefetch: " : "data loader: ", problem,
             " past the end of the epoch; compare the iterator with end() first");
  }

  std::shared_ptr<Place> place_;
};

/// Reads a dataset in the order of a sampler. One loop at a time: begin() starts an epoch and ends
/// the previous one, finished or not (libtorch throws before the end).
template <class DatasetType, class SamplerType>
class StatelessDataLoader {
 public:
  using BatchType = typename DatasetType::BatchType;

  StatelessDataLoader(DatasetType dataset, SamplerType sampler, DataLoaderOptions options)
      : options_(std::move(options)), dataset_(std::move(dataset)), sampler_(std::move(sampler)) {
    TD_CHECK(Error, options_.batch_size() > 0, "data loader: batch_size must be at least 1");
    if (options_.workers() == 0) return;
    jobs_ = std::max<std::size_t>(1, options_.prefetch()) * options_.workers();
    pipeline_ = std::make_unique<Pipeline<BatchType>>(
        options_.workers(), options_.enforce_ordering(), [this]() {
          // Each worker has its own dataset, because get() may change its members.
          auto own = std::make_shared<DatasetType>(dataset_);
          return [own, pins = options_.pin_memory()](const std::vector<std::size_t>& indices) {
            return load(*own, indices, pins);
          };
        });
  }

  /// Starts an epoch, or continues the one that load_state_dict restored. Returns immediately: the
  /// workers load the first batches.
  Iterator<BatchType> begin() {
    if (pipeline_) pipeline_->clear();
    if (!std::exchange(resumes_, false)) {
      sampler_.reset();
      given_ = 0;
      const Generator::State now = default_generator().get_state();
      seed_ = mixed(mixed(now.seed, now.offset), epochs_++);
    }
    submitted_ = given_ / options_.batch_size();
    in_epoch_ = true;
    for (std::size_t job = 0; job < jobs_; ++job) submit();
    return Iterator<BatchType>([this] { return next(); });
  }
  Iterator<BatchType> end() { return {}; }
  /// The sampler that orders the examples.
  SamplerType& sampler() noexcept { return sampler_; }

  /// Returns the position of the loop: after its current batch, however far the workers are ahead.
  /// @throws Error when batches are unordered, or the sampler has no state_dict.
  NamedTensors state_dict() const { return state_dict_behind(0, in_epoch_); }
  /// The same for a loop that is `batches` behind this loader because of a Prefetcher, in its epoch
  /// or not.
  NamedTensors state_dict_behind(std::size_t batches, bool in_epoch) const {
    TD_CHECK(Error, !pipeline_ || options_.enforce_ordering(),
             "data loader: with enforce_ordering off the batches given are not the first ones, so "
             "there is no place to come back to");
    NamedTensors state = sampler_.state_dict(given_ - batches * options_.batch_size());
    state.insert("in_epoch", number_entry(in_epoch));
    state.insert("seed", number_entry(static_cast<std::int64_t>(seed_)));
    state.insert("epochs", number_entry(static_cast<std::int64_t>(epochs_)));
    return state;
  }
  /// Restores a position: the next begin() returns the batches that the saved loop had not seen.
  /// @throws Error when the state is of a dataset of another size; nothing is changed then.
  void load_state_dict(const NamedTensors& state) {
    const bool in_epoch = number_in(state, "in_epoch") != 0;
    const std::int64_t given = number_in(state, "index"), seed = number_in(state, "seed"),
                       epochs = number_in(state, "epochs");
    NamedTensors place = state;
    for (const char* own : {"in_epoch", "seed", "epochs"}) place.erase(own);
    sampler_.load_state_dict(place);
    seed_ = static_cast<std::uint64_t>(seed);
    epochs_ = static_cast<std::uint64_t>(epochs);
    in_epoch_ = resumes_ = in_epoch;
    given_ = static_cast<std::size_t>(given);
  }

 private:
  static BatchType load(DatasetType& dataset, const std::vector<std::size_t>& indices, bool pins) {
    const PinnedCollation in_pinned_memory(pins);
    const trace::Span span("load batch", trace::Category::kLoader);
    BatchType batch = dataset.get_batch(indices);
    if (pins) pin_batch(batch);
    return batch;
  }
  optional<std::vector<std::size_t>> next_indices() {
    auto indices = sampler_.next(options_.batch_size());
    if (indices && options_.drop_last() && indices->size() < options_.batch_size()) return nullopt;
    return indices;
  }
  void submit() {
    if (auto indices = next_indices())
      pipeline_->submit(std::move(*indices), mixed(seed_, submitted_++));
  }
  // A number that looks random for each pair (the last steps of SplitMix64).
  static std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
    std::uint64_t x = a + (b + 1) * 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
  optional<BatchType> next() {
    optional<BatchType> batch;
    if (pipeline_) {
      batch = pipeline_->next(options_.timeout());
      if (batch) submit();
    } else if (const auto indices = next_indices()) {
      batch = load(dataset_, *indices, options_.pin_memory());
    }
    in_epoch_ = batch.has_value();
    if (batch) given_ += options_.batch_size();
    return batch;
  }

  DataLoaderOptions options_;
  DatasetType dataset_;
  SamplerType sampler_;
  std::size_t jobs_ = 0;
  // Items given in this epoch, as if every batch were full; whether the epoch has batches left to
  // request; and whether the next begin() must continue it.
  std::size_t given_ = 0;
  bool in_epoch_ = false, resumes_ = false;
  // What the workers' random numbers come from: a seed for this epoch, made of the process's
  // generator without drawing from it, and the number of the batch.
  std::uint64_t seed_ = 0, epochs_ = 0, submitted_ = 0;
  std::unique_ptr<Pipeline<BatchType>> pipeline_;  // last: its threads use the members above
};

/// A loader over `dataset` in the order of `sampler`.
template <class DatasetType, class SamplerType>
std::unique_ptr<StatelessDataLoader<DatasetType, SamplerType>> make_data_loader(
    DatasetType dataset, SamplerType sampler, DataLoaderOptions options) {
  return std::make_unique<StatelessDataLoader<DatasetType, SamplerType>>(
      std::move(dataset), std::move(sampler), std::move(options));
}
/// The same with a new sampler, random unless another kind is named.
template <class SamplerType = samplers::RandomSampler, class DatasetType>
std::unique_ptr<StatelessDataLoader<DatasetType, SamplerType>> make_data_loader(
    DatasetType dataset, DataLoaderOptions options = {}) {
  const optional<std::size_t> size = dataset.size();
  TD_CHECK(Error, size, "make_data_loader: the dataset does not know its size, so give a sampler");
  return make_data_loader(std::move(dataset), SamplerType(*size), std::move(options));
}

}  // namespace td::data
