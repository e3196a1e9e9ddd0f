// Shapes-10: pictures of ten kinds of drawn shapes, made on this machine in seconds, so that the
// course trains without a download. Places, sizes, angles, colours and clutter vary: pixels alone
// tell little, a convolution tells nearly all. The same seed draws the same pictures.
#pragma once

#include <functional>
#include <string>

#include "data/images.h"

namespace td::data {

/// The names of the ten classes, by label.
const std::vector<std::string>& shapes10_classes();

/// How many pictures the files hold.
struct Shapes10Sizes {
  std::size_t train = 10000;  ///< to learn from
  std::size_t test = 2000;    ///< to be judged by; none of them is in the other set
};
/// Called while pictures are drawn: the file, pictures done, pictures in all.
using Shapes10Progress =
    std::function<void(const std::string& file, std::size_t done, std::size_t total)>;

/// Pictures in memory. Train and test never share one: they are drawn from disjoint seeds.
/// @param channels 3 for 32x32 colour pictures, 1 for 28x28 grey ones.
datasets::ImageDataset draw_shapes10(std::size_t count, std::uint64_t seed, bool train,
                                     int channels = 3);

/// Writes 32x32 colour pictures in CIFAR-10's binary format: data_batch_1.bin to data_batch_5.bin,
/// test_batch.bin, batches.meta.txt. Makes the folder.
/// @throws IoError when the folder cannot be made or written; no file is then left half-written.
void write_shapes10(const std::string& folder, std::uint64_t seed = 0,
                    const Shapes10Progress& progress = {}, Shapes10Sizes sizes = {});
/// Writes 28x28 grey pictures in MNIST's IDX format: train-images-idx3-ubyte,
/// train-labels-idx1-ubyte, t10k-images-idx3-ubyte, t10k-labels-idx1-ubyte.
/// @throws IoError as write_shapes10 does.
void write_grey_shapes10(const std::string& folder, std::uint64_t seed = 0,
                         const Shapes10Progress& progress = {}, Shapes10Sizes sizes = {});

}  // namespace td::data
