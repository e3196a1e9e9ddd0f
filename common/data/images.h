// Image datasets in the two classic file formats. Images are kept as bytes and become float32 in
// [0, 1] one item at a time: CIFAR-10 is 184 MB as bytes and four times that as floats.
#pragma once

#include <string>

#include "data/dataset.h"

namespace td::data::datasets {

/// Images in memory: bytes (N, C, H, W) and labels (N).
class ImageDataset : public Dataset<ImageDataset> {
 public:
  /// The training or the test set.
  enum class Mode { kTrain, kTest };
  ImageDataset(Tensor images, Tensor labels);
  /// data: float32 (C, H, W) in [0, 1]; target: int64, 0-dimensional.
  Example<> get(std::size_t index) override;
  optional<std::size_t> size() const override;
  /// All images, uint8 (N, C, H, W).
  const Tensor& images() const { return images_; }
  /// All labels, int64 (N).
  const Tensor& targets() const { return labels_; }
  /// A dataset of the first `count` items (all, when there are fewer).
  ImageDataset first(std::size_t count) const;

 private:
  Tensor images_, labels_;
};

/// CIFAR-10's binary format: records of one label byte and 3072 color bytes (red, green and blue
/// planes of 32 rows).
class CIFAR10 : public ImageDataset {
 public:
  /// Reads data_batch_1.bin, data_batch_2.bin, ... (as many as there are) or test_batch.bin, and
  /// the names of the classes from batches.meta.txt, if it is there.
  /// @throws IoError naming the file, the offset and what was expected.
  explicit CIFAR10(const std::string& folder, Mode mode = Mode::kTrain);
  /// Names of the ten classes.
  const std::vector<std::string>& classes() const { return classes_; }

 private:
  std::vector<std::string> classes_;
};

/// MNIST's IDX format: big-endian header, then bytes.
class MNIST : public ImageDataset {
 public:
  /// Reads train-images-idx3-ubyte and train-labels-idx1-ubyte, or the t10k ones.
  /// @throws IoError naming the file, the offset and what was expected.
  explicit MNIST(const std::string& folder, Mode mode = Mode::kTrain);
};

}  // namespace td::data::datasets
