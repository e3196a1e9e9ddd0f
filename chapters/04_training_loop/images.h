// The images as batches: training data through a loader with a worker thread, test data as a list.
#pragma once

#include <memory>

#include "app/images.h"
#include "td/td.h"

namespace images {

using Batch = td::data::Example<>;

using Loader = td::data::StatelessDataLoader<
    td::data::datasets::MapDataset<
        td::data::datasets::MapDataset<td::data::datasets::ImageDataset,
                                       td::data::transforms::Normalize<>>,
        td::data::transforms::Stack<>>,
    td::data::samplers::RandomSampler>;

/// Both halves of a data set.
struct Set {
  std::unique_ptr<Loader> train;
  std::vector<Batch> test;
  std::size_t samples = 0;  ///< of the training half
};

/// Reads CIFAR-10's or MNIST's format from a folder. @param pins true: batches in pinned memory.
/// @throws td::IoError for damaged files.
inline Set load(const std::string& folder, app::Images kind, std::size_t batch_size,
                bool pins = false) {
  namespace sets = td::data::datasets;
  namespace change = td::data::transforms;
  const bool color = kind == app::Images::kColor;
  const auto half = [&](bool train = false) -> sets::ImageDataset {
    if (color)
      return sets::CIFAR10(folder,
                           train ? sets::CIFAR10::Mode::kTrain : sets::CIFAR10::Mode::kTest);
    return sets::MNIST(folder, train ? sets::MNIST::Mode::kTrain : sets::MNIST::Mode::kTest);
  };
  const auto prepared = [](sets::ImageDataset images) {
    return images.map(change::Normalize<>(0.5, 0.25)).map(change::Stack<>());
  };
  Set set;
  sets::ImageDataset train = half(true), test = half(false);
  set.samples = *train.size();
  if (set.samples == 0 || *test.size() == 0)
    throw td::IoError(folder +
                      ": no images in the training or the test files; nothing to train on");
  set.train = td::data::make_data_loader(
      prepared(train), td::data::DataLoaderOptions(batch_size).workers(1).pin_memory(pins));
  auto test_loader = td::data::make_data_loader<td::data::samplers::SequentialSampler>(
      prepared(test), td::data::DataLoaderOptions(256).pin_memory(pins));
  for (Batch& batch : *test_loader) set.test.push_back(batch);
  return set;
}

}  // namespace images
