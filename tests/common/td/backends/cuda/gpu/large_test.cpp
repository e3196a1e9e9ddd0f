// Device code on tensors beyond 32-bit indices and on grids beyond 65,535 blocks. On the stand-in
// for CUDA it runs with TD_STAND_IN_EDGES, so that each launch runs only the first and last blocks
// of its grid; the tests do not check what the other blocks would write.
#include "catch.h"
#include "td/td.h"

using namespace td;

namespace {

const Device kDevice("cuda:0");

template <class T>
T at(const Tensor& x, std::int64_t i) {
  return x.narrow(0, i, 1).cpu().item<T>();
}

}  // namespace

TEST_CASE("single elements beyond 2^32 are written, and the launch is split in four and more",
          "[large]") {
  const std::int64_t size = (std::int64_t{1} << 32) + 12345;
  const Tensor big = empty({size}, TensorOptions(kByte).device(kDevice));
  big.fill_(7);
  for (const std::int64_t i : {std::int64_t{0}, size / 2 - 1, size / 2, size - 1})
    CHECK(int(at<std::uint8_t>(big, i)) == 7);
  big.add_(big.narrow(0, 0, 1).clone());
  CHECK(int(at<std::uint8_t>(big, size - 1)) == 14);
}

TEST_CASE("packs of 16 bytes beyond 2^31 elements, and their tail", "[large]") {
  const std::int64_t size = (std::int64_t{1} << 31) + 5;
  const Tensor big = empty({size}, TensorOptions(kHalf).device(kDevice));
  big.fill_(2.5);
  big.mul_(2);
  for (const std::int64_t i : {std::int64_t{0}, size - 6, size - 1}) CHECK(at<float>(big, i) == 5);
}

TEST_CASE("rows and channels of grids beyond 65,535 blocks", "[large]") {
  const std::int64_t rows = 70001, columns = 1025;  // a block per row
  const Tensor x = ones({1, columns}, kDevice).expand({rows, columns}).contiguous();
  const Tensor y = x.softmax(1);
  for (const std::int64_t row : {std::int64_t{0}, rows - 1})
    CHECK(y.select(0, row).cpu().sum().item<float>() == Approx(1));
  const Tensor sums = x.sum(1);
  for (const std::int64_t row : {std::int64_t{0}, rows - 1})
    CHECK(at<float>(sums, row) == static_cast<float>(columns));
}

TEST_CASE("a launch whose parts have one step of the outermost loop, and are still too large",
          "[large]") {
  const std::int64_t half = (std::int64_t{1} << 30) + 1;
  const Tensor big = empty({2, half + 8}, TensorOptions(kByte).device(kDevice));
  big.narrow(1, 0, half).fill_(9);
  for (const std::int64_t row : {0, 1})
    for (const std::int64_t i : {std::int64_t{0}, half - 1})
      CHECK(int(at<std::uint8_t>(big.select(0, row), i)) == 9);
}
