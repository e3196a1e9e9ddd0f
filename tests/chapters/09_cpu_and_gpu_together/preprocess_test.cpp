// Tests of preprocess: the values, the device of each part of the work, and the copies.
#include "copies.h"
#include "exercises.h"
#include "lanes.h"

namespace {

td::Tensor numbered_images(std::int64_t n, std::int64_t channels, std::int64_t height,
                           std::int64_t width) {
  const td::Tensor all = td::arange(n * channels * height * width).to(td::kInt64);
  return all.remainder(251).to(td::kUInt8).reshape({n, channels, height, width});
}

std::vector<Corner> corners_for(std::int64_t n, std::int64_t most_down, std::int64_t most_right) {
  std::vector<Corner> corners;
  for (std::int64_t i = 0; i < n; ++i)
    corners.push_back({(3 * i + 1) % (most_down + 1), (5 * i + 2) % (most_right + 1)});
  return corners;
}

// Element by element.
std::vector<double> expected_values(const td::Tensor& images, const std::vector<Corner>& corners,
                                    std::int64_t size) {
  const std::vector<double> all = check::values(images);
  const std::int64_t channels = images.size(1), height = images.size(2), width = images.size(3);
  std::vector<double> expected;
  for (std::size_t i = 0; i < corners.size(); ++i)
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t y = 0; y < size; ++y)
        for (std::int64_t x = 0; x < size; ++x) {
          const std::int64_t row = corners[i].top + y, column = corners[i].left + x;
          const std::int64_t at =
              ((static_cast<std::int64_t>(i) * channels + c) * height + row) * width + column;
          expected.push_back((all[static_cast<std::size_t>(at)] / 255 - 0.5) / 0.25);
        }
  return expected;
}

}  // namespace

TEST_CASE("each image is cut at its corner and normalized, on every device", "[preprocess]") {
  for (const td::Device device : check::devices())
    for (const std::int64_t n : {0, 1, 3, 7}) {
      const td::Tensor images = numbered_images(n, 3, 9, 11);
      const std::vector<double> before = check::values(images);
      for (const std::int64_t size : {1, 5, 9}) {
        const std::vector<Corner> corners = corners_for(n, 9 - size, 11 - size);
        const td::Tensor batch = preprocess(images, corners, size, device);
        const std::string where = "on " + device.str() + ", " + std::to_string(n) +
                                  " images, pieces of " + std::to_string(size);
        check::expect_on(batch, device, "the batch " + where);
        check::expect_dtype(batch, td::kFloat32, "the batch " + where);
        check::expect_sizes(batch, {n, 3, size, size}, "the batch " + where);
        check::expect_close(check::values(batch), expected_values(images, corners, size), 1e-5,
                            "values " + where);
      }
      check::expect(check::values(images) == before, "preprocess changed its input images");
    }
}

TEST_CASE("images of any strides, and of one channel, are cut alike", "[preprocess]") {
  const td::Tensor upright = numbered_images(4, 1, 8, 6);
  const std::vector<Corner> corners = corners_for(4, 3, 5);
  for (const td::Device device : {td::Device("cpu"), kSim}) {
    const td::Tensor sideways = upright.transpose(2, 3);
    check::expect_close(check::values(preprocess(sideways, corners, 3, device)),
                        expected_values(sideways.contiguous(), corners, 3), 1e-5,
                        "transposed images on " + device.str());
  }
}

TEST_CASE("the result does not share memory with the images", "[preprocess]") {
  const td::Tensor images = numbered_images(2, 3, 4, 4);
  const std::vector<Corner> corners = {{0, 0}, {0, 0}};
  const std::vector<double> expected = expected_values(images, corners, 4);
  for (const td::Device device : {td::Device("cpu"), kSim}) {
    const td::Tensor source = images.clone();
    const td::Tensor batch = preprocess(source, corners, 4, device);
    source.fill_(0);
    check::expect_close(check::values(batch), expected, 1e-5,
                        "the batch, after the images were overwritten, on " + device.str());
  }
}

TEST_CASE("only the pieces are copied, as bytes, from pinned memory", "[preprocess]") {
  const td::Tensor images = numbered_images(6, 3, 32, 32);
  const std::vector<Corner> corners = corners_for(6, 8, 8);
  const Copies copies = copies_of([&] { preprocess(images, corners, 24, kSim); });
  const std::size_t pieces = 6 * 3 * 24 * 24;
  check::expect(copies.to_device >= pieces, std::to_string(copies.to_device) +
                                                " bytes were copied to the device; the pieces "
                                                "have " +
                                                std::to_string(pieces));
  check::expect(copies.to_device == pieces, std::to_string(copies.to_device) +
                                                " bytes were copied to the device; the pieces "
                                                "have " +
                                                std::to_string(pieces) +
                                                " bytes as uint8: cut before the copy, and "
                                                "convert to float32 after it");
  check::expect(copies.to_host == 0, "something was copied back to the host");
  check::expect(copies.pageable.empty(),
                "a copy was \"" + copies.pageable + "\": cut into pinned memory");
}

TEST_CASE("the host does not wait for the device, whichever stream is current", "[preprocess]") {
  const td::Tensor images = numbered_images(5, 3, 32, 32);
  const std::vector<Corner> corners = corners_for(5, 4, 4);
  const std::vector<double> expected = expected_values(images, corners, 28);
  for (const bool pool : {false, true}) {
    const td::Stream current = pool ? td::getStreamFromPool(kSim) : td::getCurrentStream(kSim);
    const td::StreamGuard guard(current);
    Gate gate;
    gate.hold(current);
    const td::Tensor batch = preprocess(images, corners, 28, kSim);
    check::expect(!gate.has_expired(),
                  "preprocess waits for the work that is already enqueued on the current stream: "
                  "copy from pinned memory with non_blocking");
    // Allocates the memory of the pieces if it was freed too early.
    const td::Tensor next = preprocess(td::zeros_like(images), corners, 28, kSim);
    gate.open();
    check::expect_close(check::values(batch), expected, 1e-5, "the batch of a busy device");
  }
}

TEST_CASE("a missing corner is an error", "[preprocess]") {
  for (const auto& [n, count] : {std::pair(3, 0), {3, 2}, {3, 4}, {0, 1}, {1, 0}})
    for (const td::Device device : {kSim, td::Device("cpu")})
      check::expect_throws<td::ShapeError>(
          [&, n = n, count = count] {
            preprocess(numbered_images(n, 1, 8, 8),
                       std::vector<Corner>(static_cast<std::size_t>(count), {0, 0}), 4, device);
          },
          {}, std::to_string(n) + " images and " + std::to_string(count) + " corners");
}

TEST_CASE("the device reads the pieces only after their copy", "[preprocess]") {
  const LinkOf slow({.gb_per_s = 12, .latency_us = 3000});
  const td::Tensor images = numbered_images(4, 3, 16, 16);
  const std::vector<Corner> corners = corners_for(4, 4, 4);
  RaceWatch races;
  const td::Tensor batch = preprocess(images, corners, 12, kSim);
  races.expect_none();
  check::expect_close(check::values(batch), expected_values(images, corners, 12), 1e-5,
                      "the batch over a slow link");
}
