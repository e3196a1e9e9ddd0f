// Shapes-10: images of ten kinds of shapes, drawn on this machine in seconds, so that the course
// trains without a download. Positions, sizes, angles, colors and clutter vary, so that a
// convolution classifies nearly all images and single pixels do not. The same seed draws the same
// images.
#pragma once

#include <functional>
#include <string>

#include "data/images.h"

namespace td::data {

/// Returns the names of the ten classes, by label.
std::vector<std::string> shapes10_classes();

/// The number of images in the files.
struct Shapes10Sizes {
  std::size_t train = 10000;  ///< for training
  std::size_t test = 2000;    ///< for validation; disjoint from the training set
};
/// Called while images are drawn: the file, the images done, and the total.
using Shapes10Progress =
    std::function<void(const std::string& file, std::size_t done, std::size_t total)>;

/// Draws images in memory. Training and test sets are disjoint, because their seeds are.
/// @param channels 3 for 32x32 color images, 1 for 28x28 gray ones.
datasets::ImageDataset draw_shapes10(std::size_t count, std::uint64_t seed, bool train,
                                     int channels = 3);

/// Writes 32x32 color images in CIFAR-10's binary format: data_batch_1.bin to data_batch_5.bin,
/// test_batch.bin, batches.meta.txt. Makes the folder.
/// @throws IoError when the folder cannot be made or written; files are written atomically.
void write_shapes10(const std::string& folder, std::uint64_t seed = 0,
                    const Shapes10Progress& progress = {}, Shapes10Sizes sizes = {});
/// Writes 28x28 gray images in MNIST's IDX format: train-images-idx3-ubyte,
/// train-labels-idx1-ubyte, t10k-images-idx3-ubyte, t10k-labels-idx1-ubyte.
/// @throws IoError as write_shapes10 does.
void write_grey_shapes10(const std::string& folder, std::uint64_t seed = 0,
                         const Shapes10Progress& progress = {}, Shapes10Sizes sizes = {});

}  // namespace td::data
