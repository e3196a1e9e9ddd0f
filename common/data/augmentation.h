// Random changes that show a network more than the pictures there are, with torchvision's names:
// `dataset.map(RandomCrop<>(32, 4)).map(RandomHorizontalFlip<>()).map(Stack<>())`.
// Invariant: the numbers come from the generator of the thread (GeneratorGuard), so who seeds one
// for each picture gets the same picture from whichever thread loads it.
#pragma once

#include "data/transforms.h"

namespace td::data::transforms {

/// A window of size x size at a random place in `picture` with a border of zeros around it.
/// @param picture (C, H, W) on the cpu.
/// @param padding width of the border on each side.
/// @throws ShapeError when the picture has other dimensions, or is smaller than the window.
Tensor random_crop(const Tensor& picture, std::int64_t size, std::int64_t padding = 0);

/// `picture`, or with probability `p` its mirror image: left is right.
/// @throws Error unless p is from 0 to 1.
Tensor random_horizontal_flip(const Tensor& picture, double p = 0.5);

/// random_crop of the data.
template <class Target = Tensor>
class RandomCrop : public TensorTransform<Target> {
 public:
  explicit RandomCrop(std::int64_t size, std::int64_t padding = 0) : size(size), padding(padding) {}
  Tensor operator()(Tensor input) override { return random_crop(input, size, padding); }

  std::int64_t size, padding;
};

/// random_horizontal_flip of the data.
template <class Target = Tensor>
class RandomHorizontalFlip : public TensorTransform<Target> {
 public:
  explicit RandomHorizontalFlip(double p = 0.5) : p(p) {}
  Tensor operator()(Tensor input) override { return random_horizontal_flip(input, p); }

  double p;
};

}  // namespace td::data::transforms
