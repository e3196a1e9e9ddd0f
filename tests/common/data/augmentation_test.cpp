// Random crops and flips: every window is one that a loop cuts, all of them occur, and the thread's
// generator is used.
#include "data/transforms.h"

#include <set>
#include <vector>

#include "../td/tensor/values.h"
#include "data/data.h"
#include "td/tensor/generator.h"

using namespace td;
using namespace td::data;
using transforms::random_crop;
using transforms::random_horizontal_flip;

namespace {

// Every pixel has a different number, and none is 0.
Tensor counted(std::int64_t channels, std::int64_t height, std::int64_t width) {
  return arange(1, channels * height * width + 1, kFloat).view({channels, height, width});
}

// The window at (top, left) of the picture with its border, pixel by pixel.
std::vector<double> window(const Tensor& picture, std::int64_t size, std::int64_t padding,
                           std::int64_t top, std::int64_t left) {
  std::vector<double> pixels;
  for (std::int64_t c = 0; c < picture.size(0); ++c)
    for (std::int64_t y = top - padding; y < top - padding + size; ++y)
      for (std::int64_t x = left - padding; x < left - padding + size; ++x) {
        const bool inside = y >= 0 && y < picture.size(1) && x >= 0 && x < picture.size(2);
        pixels.push_back(inside ? picture[c][y][x].item<double>() : 0);
      }
  return pixels;
}

// The places, as top * 1000 + left, whose window equals `cut`.
std::set<std::int64_t> places_of(const Tensor& cut, const Tensor& picture, std::int64_t size,
                                 std::int64_t padding) {
  std::set<std::int64_t> places;
  for (std::int64_t top = 0; top <= picture.size(1) + 2 * padding - size; ++top)
    for (std::int64_t left = 0; left <= picture.size(2) + 2 * padding - size; ++left)
      if (window(picture, size, padding, top, left) == values(cut))
        places.insert(top * 1000 + left);
  return places;
}

}  // namespace

TEST_CASE("random_crop returns one of the possible windows, and each of them occurs") {
  manual_seed(3);
  const Tensor picture = counted(2, 3, 4);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 300; ++i) {
    const Tensor cut = random_crop(picture, 3, 1);
    CHECK(cut.sizes() == IntArrayRef({2, 3, 3}));
    const auto places = places_of(cut, picture, 3, 1);
    REQUIRE(places.size() == 1);
    seen.insert(*places.begin());
  }
  CHECK(seen.size() == 3 * 4);  // 3 + 2 - 3 + 1 tops, 4 + 2 - 3 + 1 lefts
}

TEST_CASE("random_crop: no border, a border wider than the window, other types") {
  manual_seed(4);
  const Tensor picture = counted(1, 2, 2);
  CHECK(values(random_crop(picture, 2)) == values(picture));
  for (int i = 0; i < 100; ++i)
    REQUIRE_FALSE(places_of(random_crop(picture, 2, 5), picture, 2, 5).empty());
  const Tensor bytes = picture.to(kByte);
  CHECK(random_crop(bytes, 2, 1).dtype() == kByte);
}

TEST_CASE("random_horizontal_flip mirrors columns, with its probability") {
  manual_seed(5);
  const Tensor picture = counted(2, 3, 4);
  std::vector<double> mirrored;
  for (std::int64_t c = 0; c < 2; ++c)
    for (std::int64_t y = 0; y < 3; ++y)
      for (std::int64_t x = 3; x >= 0; --x) mirrored.push_back(picture[c][y][x].item<double>());
  CHECK(values(random_horizontal_flip(picture, 0)) == values(picture));
  CHECK(values(random_horizontal_flip(picture, 1)) == mirrored);
  int flips = 0;
  for (int i = 0; i < 400; ++i)
    flips += values(random_horizontal_flip(picture, 0.25)) == mirrored ? 1 : 0;
  CHECK(flips > 60);  // 100 expected, with a deviation of 8.7
  CHECK(flips < 140);
}

TEST_CASE("random changes draw from the thread's generator, also as transforms") {
  const Example<> example(counted(3, 8, 8), full({}, 7, kLong));
  const auto change = [&](std::uint64_t seed) {
    Generator numbers(seed);
    const GeneratorGuard guard(numbers);
    transforms::RandomCrop<> crop(8, 4);
    transforms::RandomHorizontalFlip<> flip;
    return flip.apply(crop.apply(example));
  };
  const Example<> one = change(1);
  CHECK(one.target.item<std::int64_t>() == 7);
  CHECK(values(one.data) == values(change(1).data));
  int different = 0;
  for (std::uint64_t seed = 2; seed < 12; ++seed)
    different += values(one.data) != values(change(seed).data) ? 1 : 0;
  CHECK(different >= 8);
}

TEST_CASE("random changes reject arguments that they cannot use") {
  const auto text = [](const auto& work) {
    try {
      work();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  CHECK(text([] {
          random_crop(zeros({4, 4}), 2);
        }) == "random_crop: the picture has sizes [4, 4]; expected (channels, height, width)");
  CHECK(text([] {
          random_crop(zeros({3, 4, 5}), 8, 1);
        }) ==
        "random_crop: a window of 8 x 8 does not fit into a picture of 4 x 5 with a border of 1; "
        "take a smaller size or a larger padding");
  CHECK(text([] {
          random_horizontal_flip(zeros({3, 4, 5}), 1.5);
        }) == "random_horizontal_flip: p is 1.5; expected 0 to 1");
}
