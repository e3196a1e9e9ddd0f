// expect: the batch of a busy device
// Copies one piece after another from the same pinned memory, which the next piece overwrites.
#include "exercises.h"

td::Tensor preprocess(const td::Tensor& images, const std::vector<Corner>& corners,
                      std::int64_t size, td::Device device) {
  const std::int64_t n = images.size(0);
  TD_CHECK(td::ShapeError, corners.size() == static_cast<std::size_t>(n), "preprocess: ", n,
           " images need as many corners, not ", corners.size());
  const auto bytes = td::TensorOptions(td::kUInt8).pinned_memory(!device.is_cpu());
  const td::Tensor pieces = td::empty({images.size(1), size, size}, bytes);
  const td::Tensor there =
      td::empty({n, images.size(1), size, size}, td::TensorOptions(td::kUInt8).device(device));
  for (std::int64_t i = 0; i < n; ++i) {
    const auto [top, left] = corners[static_cast<std::size_t>(i)];
    pieces.copy_(images[i].narrow(1, top, size).narrow(2, left, size));
    there[i].copy_(pieces, /*non_blocking=*/true);
  }
  return (there.to(td::kFloat32) / 255 - 0.5) / 0.25;
}
