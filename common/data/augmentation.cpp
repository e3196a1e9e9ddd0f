// Crops and flips of single pictures on the host. See augmentation.h.
#include "data/augmentation.h"

#include <algorithm>

namespace td::data::transforms {
namespace {

/// Where a window of a bordered picture meets the picture itself, along one dimension.
struct Overlap {
  std::int64_t from, to, length;  // first index in the picture, in the window; how many
};

/// @param offset of the window in the bordered picture.
Overlap overlap_of(std::int64_t offset, std::int64_t padding, std::int64_t extent,
                   std::int64_t size) {
  const std::int64_t begin = offset - padding;  // of the window, as the picture counts
  const std::int64_t from = std::clamp<std::int64_t>(begin, 0, extent);
  const std::int64_t end = std::clamp<std::int64_t>(begin + size, from, extent);
  return {from, std::clamp<std::int64_t>(from - begin, 0, size), end - from};
}

}  // namespace

Tensor random_crop(const Tensor& picture, std::int64_t size, std::int64_t padding) {
  TD_CHECK(ShapeError, picture.dim() == 3, "random_crop: the picture has sizes ", picture.sizes(),
           "; expected (channels, height, width)");
  const std::int64_t height = picture.size(1), width = picture.size(2);
  const std::int64_t rows = height + 2 * padding - size, columns = width + 2 * padding - size;
  TD_CHECK(ShapeError, size > 0 && padding >= 0 && rows >= 0 && columns >= 0,
           "random_crop: a window of ", size, " x ", size, " does not fit into a picture of ",
           height, " x ", width, " with a border of ", padding,
           "; take a smaller size or a larger padding");
  // One draw for both, since each costs a launch.
  const Tensor place = randint(0, (rows + 1) * (columns + 1), {1}, kInt64);
  const std::int64_t drawn = *place.data_ptr<std::int64_t>();
  const Overlap y = overlap_of(drawn / (columns + 1), padding, height, size);
  const Overlap x = overlap_of(drawn % (columns + 1), padding, width, size);
  Tensor window = zeros({picture.size(0), size, size}, TensorOptions(picture.dtype()));
  window.narrow(1, y.to, y.length)
      .narrow(2, x.to, x.length)
      .copy_(picture.narrow(1, y.from, y.length).narrow(2, x.from, x.length));
  return window;
}

Tensor random_horizontal_flip(const Tensor& picture, double p) {
  TD_CHECK(Error, p >= 0 && p <= 1, "random_horizontal_flip: p is ", p, "; expected 0 to 1");
  return *rand({1}).data_ptr<float>() < p ? picture.flip({-1}) : picture;
}

}  // namespace td::data::transforms
