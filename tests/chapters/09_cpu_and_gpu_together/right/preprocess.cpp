#include "exercises.h"

// answer: one_copy_per_image
// Copies each piece as soon as it is cut, from its own part of the pinned memory.
namespace one_copy_per_image {
td::Tensor preprocess(const td::Tensor& images, const std::vector<Corner>& corners,
                      std::int64_t size, td::Device device) {
  if (corners.size() != static_cast<std::size_t>(images.size(0)))
    throw td::ShapeError("preprocess: images and corners differ in number");
  const std::vector<std::int64_t> sizes = {images.size(0), images.size(1), size, size};
  const td::Tensor there = td::empty(sizes, td::TensorOptions(td::kUInt8).device(device));
  const td::Tensor here =
      device.is_cpu() ? there : td::empty(sizes, td::TensorOptions(td::kUInt8).pinned_memory(true));
  for (std::int64_t i = 0; i < images.size(0); ++i) {
    const Corner& at = corners[static_cast<std::size_t>(i)];
    here.select(0, i).copy_(images.select(0, i).narrow(2, at.left, size).narrow(1, at.top, size));
    if (!device.is_cpu()) there.select(0, i).copy_(here.select(0, i), /*non_blocking=*/true);
  }
  return there.to(td::kFloat32).div(255).sub(0.5).mul(4);
}
}  // namespace one_copy_per_image

// answer: stacks_the_pieces
// Makes the batch with stack, and normalizes with one factor and one term.
namespace stacks_the_pieces {
td::Tensor preprocess(const td::Tensor& images, const std::vector<Corner>& corners,
                      std::int64_t size, td::Device device) {
  if (static_cast<std::int64_t>(corners.size()) != images.size(0))
    throw td::ShapeError("one corner for each image, please");
  td::TensorList pieces;
  for (std::size_t i = 0; i < corners.size(); ++i)
    pieces.push_back(images[static_cast<std::int64_t>(i)]
                         .slice(1, corners[i].top, corners[i].top + size)
                         .slice(2, corners[i].left, corners[i].left + size));
  td::Tensor batch =
      pieces.empty() ? td::empty({0, images.size(1), size, size}, td::kUInt8) : td::stack(pieces);
  if (!device.is_cpu()) batch = batch.pin_memory();
  td::Tensor result = batch.to(device, true).to(td::kFloat32);
  result.mul_(1 / (255 * 0.25)).sub_(2);
  return result;
}
}  // namespace stacks_the_pieces
