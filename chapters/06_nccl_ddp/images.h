// The images of chapter 06: each rank reads its own part of the training set, batch by batch, and
// the whole test set. Exercise 6.sampler decides which part.
#pragma once

#include <memory>

#include "app/images.h"
#include "exercises.h"

namespace images {

using Batch = td::data::Example<>;

// anchor: sampler
/// Gives the samples of one rank to a loader. Call set_epoch before each epoch, with the same
/// number on every rank.
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
    const std::size_t end = std::min(next_ + batch_size, mine_.size());
    const std::vector<std::size_t> batch(mine_.begin() + static_cast<std::ptrdiff_t>(next_),
                                         mine_.begin() + static_cast<std::ptrdiff_t>(end));
    next_ = end;
    return batch;
  }

 private:
  std::size_t size_, next_ = 0;
  Sampling sampling_;
  std::vector<std::size_t> mine_;
};
// anchor end

using Images = td::data::datasets::MapDataset<
    td::data::datasets::MapDataset<td::data::datasets::ImageDataset,
                                   td::data::transforms::Normalize<>>,
    td::data::transforms::Stack<>>;
using Loader = td::data::StatelessDataLoader<Images, ShareSampler>;

/// Training set and test set, as one rank sees them.
struct Set {
  std::unique_ptr<Loader> train;
  std::vector<Batch> test;
  std::size_t samples = 0;  ///< of the training set, over all ranks
};

/// Reads CIFAR-10's format from a folder. @param samples at most as many training images; 0: all.
/// @throws td::IoError for damaged files.
inline Set load(const std::string& folder, std::size_t batch_size, std::size_t samples,
                const Sampling& sampling) {
  using td::data::datasets::CIFAR10;
  const auto prepared = [](td::data::datasets::ImageDataset images) {
    return images.map(td::data::transforms::Normalize<>(0.5, 0.25))
        .map(td::data::transforms::Stack<>());
  };
  td::data::datasets::ImageDataset train = CIFAR10(folder, CIFAR10::Mode::kTrain);
  if (samples > 0) train = train.first(samples);
  Set set;
  set.samples = *train.size();
  if (set.samples == 0) throw td::IoError(folder + ": no images in the training files");
  set.train = std::make_unique<Loader>(prepared(train), ShareSampler(set.samples, sampling),
                                       td::data::DataLoaderOptions(batch_size).workers(1));
  auto test = td::data::make_data_loader<td::data::samplers::SequentialSampler>(
      prepared(CIFAR10(folder, CIFAR10::Mode::kTest)), td::data::DataLoaderOptions(256));
  for (Batch& batch : *test) set.test.push_back(batch);
  return set;
}

}  // namespace images
