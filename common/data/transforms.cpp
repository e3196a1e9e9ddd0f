// Collation, random crops and flips of images on the host.
#include "data/transforms.h"

#include <algorithm>

#include "td/autograd/modes.h"

namespace td::data {
namespace {

// Whether all items fit into one block of host memory; stack() handles the rest and reports errors.
bool same_kind(const TensorList& items) {
  return !items.empty() && std::all_of(items.begin(), items.end(), [&](const Tensor& item) {
    return item.defined() && item.is_cpu() && item.dtype() == items[0].dtype() &&
           item.sizes() == items[0].sizes();
  });
}

}  // namespace

Tensor collate(const TensorList& items) {
  if (!detail::collates_pinned || !same_kind(items)) return stack(items);
  const NoGradGuard no_grad;
  Sizes sizes(items[0].sizes());
  sizes.insert(0, static_cast<std::int64_t>(items.size()));
  const Tensor batch = empty(sizes, items[0].options().pinned_memory(true));
  for (std::size_t i = 0; i < items.size(); ++i)
    batch.select(0, static_cast<std::int64_t>(i)).copy_(items[i]);
  return batch;
}

Example<> detail::join(const std::vector<Example<>>& items) {
  TensorList data, targets;
  for (const Example<>& item : items) {
    data.push_back(item.data);
    targets.push_back(item.target);
  }
  return {collate(data), collate(targets)};
}

TensorExample detail::join(const std::vector<TensorExample>& items) {
  return collate(TensorList(items.begin(), items.end()));
}

namespace transforms {
namespace {

/// Where a window of a bordered image overlaps the image itself, along one dimension.
struct Overlap {
  std::int64_t from, to, length;  // first index in the image, in the window; how many
};

/// @param offset of the window in the bordered image.
Overlap overlap_of(std::int64_t offset, std::int64_t padding, std::int64_t extent,
                   std::int64_t size) {
  const std::int64_t begin = offset - padding;  // of the window, relative to the image
  const std::int64_t from = std::clamp<std::int64_t>(begin, 0, extent);
  const std::int64_t end = std::clamp<std::int64_t>(begin + size, from, extent);
  return {from, std::clamp<std::int64_t>(from - begin, 0, size), end - from};
}

}  // namespace

Tensor random_crop(const Tensor& image, std::int64_t size, std::int64_t padding) {
  TD_CHECK(ShapeError, image.dim() == 3, "random_crop: the picture has sizes ", image.sizes(),
           "; expected (channels, height, width)");
  const std::int64_t height = image.size(1), width = image.size(2);
  const std::int64_t rows = height + 2 * padding - size, columns = width + 2 * padding - size;
  TD_CHECK(ShapeError, size > 0 && padding >= 0 && rows >= 0 && columns >= 0,
           "random_crop: a window of ", size, " x ", size, " does not fit into a picture of ",
           height, " x ", width, " with a border of ", padding,
           "; take a smaller size or a larger padding");
  // One random number for both, because each one costs a launch.
  const Tensor position = randint(0, (rows + 1) * (columns + 1), {1}, kInt64);
  const std::int64_t drawn = *position.data_ptr<std::int64_t>();
  const Overlap y = overlap_of(drawn / (columns + 1), padding, height, size);
  const Overlap x = overlap_of(drawn % (columns + 1), padding, width, size);
  Tensor window = zeros({image.size(0), size, size}, TensorOptions(image.dtype()));
  window.narrow(1, y.to, y.length)
      .narrow(2, x.to, x.length)
      .copy_(image.narrow(1, y.from, y.length).narrow(2, x.from, x.length));
  return window;
}

Tensor random_horizontal_flip(const Tensor& image, double p) {
  TD_CHECK(Error, p >= 0 && p <= 1, "random_horizontal_flip: p is ", p, "; expected 0 to 1");
  return *rand({1}).data_ptr<float>() < p ? image.flip({-1}) : image;
}

}  // namespace transforms
}  // namespace td::data
