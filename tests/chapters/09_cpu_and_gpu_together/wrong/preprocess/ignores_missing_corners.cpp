// expect: 3 images and
// Cuts as many images as there are corners, and leaves the others as they come.
#include "exercises.h"

td::Tensor preprocess(const td::Tensor& images, const std::vector<Corner>& corners,
                      std::int64_t size, td::Device device) {
  const std::int64_t n = images.size(0);
  const auto bytes = td::TensorOptions(td::kUInt8).pinned_memory(!device.is_cpu());
  const td::Tensor pieces = td::empty({n, images.size(1), size, size}, bytes);
  for (std::int64_t i = 0; i < n && i < static_cast<std::int64_t>(corners.size()); ++i) {
    const auto [top, left] = corners[static_cast<std::size_t>(i)];
    pieces[i].copy_(images[i].narrow(1, top, size).narrow(2, left, size));
  }
  const td::Tensor there = pieces.to(device, /*non_blocking=*/true);
  return (there.to(td::kFloat32) / 255 - 0.5) / 0.25;
}
