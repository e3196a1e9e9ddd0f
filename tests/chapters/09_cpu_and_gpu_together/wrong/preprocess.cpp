#include "exercises.h"

// answer: a_stream_of_its_own
// expect: race on sim:0
// Copies on a stream that nothing waits for.
namespace a_stream_of_its_own {
td::Tensor preprocess(const td::Tensor& images, const std::vector<Corner>& corners,
                      std::int64_t size, td::Device device) {
  const std::int64_t n = images.size(0);
  TD_CHECK(td::ShapeError, corners.size() == static_cast<std::size_t>(n), "preprocess: ", n,
           " images need as many corners, not ", corners.size());
  const auto bytes = td::TensorOptions(td::kUInt8).pinned_memory(!device.is_cpu());
  const td::Tensor pieces = td::empty({n, images.size(1), size, size}, bytes);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto [top, left] = corners[static_cast<std::size_t>(i)];
    pieces[i].copy_(images[i].narrow(1, top, size).narrow(2, left, size));
  }
  td::Tensor there = pieces;
  if (!device.is_cpu()) {
    const td::StreamGuard guard(td::getStreamFromPool(device));
    there = pieces.to(device, /*non_blocking=*/true);
  }
  return (there.to(td::kFloat32) / 255 - 0.5) / 0.25;
}
}  // namespace a_stream_of_its_own

// answer: converts_on_the_host
// expect: convert to float32 after it
// Copies four bytes for each byte.
namespace converts_on_the_host {
td::Tensor preprocess(const td::Tensor& images, const std::vector<Corner>& corners,
                      std::int64_t size, td::Device device) {
  const std::int64_t n = images.size(0);
  TD_CHECK(td::ShapeError, corners.size() == static_cast<std::size_t>(n), "preprocess: ", n,
           " images need as many corners, not ", corners.size());
  const auto bytes = td::TensorOptions(td::kUInt8).pinned_memory(!device.is_cpu());
  const td::Tensor pieces = td::empty({n, images.size(1), size, size}, bytes);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto [top, left] = corners[static_cast<std::size_t>(i)];
    pieces[i].copy_(images[i].narrow(1, top, size).narrow(2, left, size));
  }
  const td::Tensor ready = (pieces.to(td::kFloat32) / 255 - 0.5) / 0.25;
  return (device.is_cpu() ? ready : ready.pin_memory()).to(device, /*non_blocking=*/true);
}
}  // namespace converts_on_the_host

// answer: cuts_on_the_device
// expect: bytes were copied to the device; the pieces have
// Copies whole images: right values, and more bytes than needed.
namespace cuts_on_the_device {
td::Tensor preprocess(const td::Tensor& images, const std::vector<Corner>& corners,
                      std::int64_t size, td::Device device) {
  const std::int64_t n = images.size(0);
  TD_CHECK(td::ShapeError, corners.size() == static_cast<std::size_t>(n), "preprocess: ", n,
           " images need as many corners, not ", corners.size());
  const td::Tensor whole = device.is_cpu() ? images : images.contiguous().pin_memory();
  const td::Tensor there_whole = whole.to(device, /*non_blocking=*/true);
  const td::Tensor there =
      td::empty({n, images.size(1), size, size}, td::TensorOptions(td::kUInt8).device(device));
  for (std::int64_t i = 0; i < n; ++i) {
    const auto [top, left] = corners[static_cast<std::size_t>(i)];
    there[i].copy_(there_whole[i].narrow(1, top, size).narrow(2, left, size));
  }
  return (there.to(td::kFloat32) / 255 - 0.5) / 0.25;
}
}  // namespace cuts_on_the_device

// answer: exchanges_the_axes
// expect: values on cpu
// Takes top for left. Right when both are equal, as in the example.
namespace exchanges_the_axes {
td::Tensor preprocess(const td::Tensor& images, const std::vector<Corner>& corners,
                      std::int64_t size, td::Device device) {
  const std::int64_t n = images.size(0);
  TD_CHECK(td::ShapeError, corners.size() == static_cast<std::size_t>(n), "preprocess: ", n,
           " images need as many corners, not ", corners.size());
  const auto bytes = td::TensorOptions(td::kUInt8).pinned_memory(!device.is_cpu());
  const td::Tensor pieces = td::empty({n, images.size(1), size, size}, bytes);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto [top, left] = corners[static_cast<std::size_t>(i)];
    pieces[i].copy_(images[i]
                        .narrow(1, std::min(left, images.size(2) - size), size)
                        .narrow(2, std::min(top, images.size(3) - size), size));
  }
  const td::Tensor there = pieces.to(device, /*non_blocking=*/true);
  return (there.to(td::kFloat32) / 255 - 0.5) / 0.25;
}
}  // namespace exchanges_the_axes

// answer: ignores_missing_corners
// expect: 3 images and
// Cuts as many images as there are corners, and leaves the others as they come.
namespace ignores_missing_corners {
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
}  // namespace ignores_missing_corners

// answer: pageable_memory
// expect: Pageable
// Forgets the pinned memory, so that the host waits for the copy.
namespace pageable_memory {
td::Tensor preprocess(const td::Tensor& images, const std::vector<Corner>& corners,
                      std::int64_t size, td::Device device) {
  const std::int64_t n = images.size(0);
  TD_CHECK(td::ShapeError, corners.size() == static_cast<std::size_t>(n), "preprocess: ", n,
           " images need as many corners, not ", corners.size());
  const auto bytes = td::TensorOptions(td::kUInt8);
  const td::Tensor pieces = td::empty({n, images.size(1), size, size}, bytes);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto [top, left] = corners[static_cast<std::size_t>(i)];
    pieces[i].copy_(images[i].narrow(1, top, size).narrow(2, left, size));
  }
  const td::Tensor there = pieces.to(device, /*non_blocking=*/true);
  return (there.to(td::kFloat32) / 255 - 0.5) / 0.25;
}
}  // namespace pageable_memory

// answer: reuses_the_memory
// expect: the batch of a busy device
// Copies one piece after another from the same pinned memory, which the next piece overwrites.
namespace reuses_the_memory {
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
}  // namespace reuses_the_memory

// answer: waits_for_the_copy
// expect: preprocess waits for
// Copies without non_blocking.
namespace waits_for_the_copy {
td::Tensor preprocess(const td::Tensor& images, const std::vector<Corner>& corners,
                      std::int64_t size, td::Device device) {
  const std::int64_t n = images.size(0);
  TD_CHECK(td::ShapeError, corners.size() == static_cast<std::size_t>(n), "preprocess: ", n,
           " images need as many corners, not ", corners.size());
  const auto bytes = td::TensorOptions(td::kUInt8).pinned_memory(!device.is_cpu());
  const td::Tensor pieces = td::empty({n, images.size(1), size, size}, bytes);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto [top, left] = corners[static_cast<std::size_t>(i)];
    pieces[i].copy_(images[i].narrow(1, top, size).narrow(2, left, size));
  }
  const td::Tensor there = pieces.to(device);
  return (there.to(td::kFloat32) / 255 - 0.5) / 0.25;
}
}  // namespace waits_for_the_copy
