// Operands whose columns are contiguous and not their rows, which the cpu reads tile by tile: sizes
// around those of a tile, several matrices, a broadcast operand, and a result that is transposed.
// Operands that are read backwards: flip.
#include "reference.h"

using namespace td;
using namespace reference;

namespace {

/// x[i][j][k] = 10000 i + 100 j + k, stored with the last two dimensions exchanged.
Tensor exchanged(std::int64_t matrices, std::int64_t rows, std::int64_t columns) {
  const auto line = [](std::int64_t n) { return arange(n, kFloat); };
  return (line(matrices).view({-1, 1, 1}) * 10000 + line(columns).view({-1, 1}) + line(rows) * 100)
      .transpose(1, 2);
}

std::int64_t wrong_elements(const Tensor& x, float offset) {
  const Tensor host = x.cpu().contiguous();
  const float* got = host.data_ptr<float>();
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < x.size(0); ++i)
    for (std::int64_t j = 0; j < x.size(1); ++j)
      for (std::int64_t k = 0; k < x.size(2); ++k)
        wrong += *got++ != static_cast<float>(10000 * i + 100 * j + k) + offset;
  return wrong;
}

}  // namespace

TEST_CASE("every element of transposed operands arrives") {
  for (const Device device : {Device(kCPU), Device("sim:0")})
    for (const std::int64_t rows : {1, 2, 64, 65, 130})
      for (const std::int64_t columns : {63, 64, 65, 129, 1000}) {
        if (columns == 1000 && rows != 65) continue;
        INFO(device << ' ' << rows << " x " << columns);
        const Tensor x = exchanged(3, rows, columns).to(device);
        CHECK(wrong_elements(x, 0) == 0);
        CHECK(wrong_elements(x + full({1}, 2.0, device), 2) == 0);
        Tensor out = zeros({3, columns, rows}, device).transpose(1, 2);
        CHECK(wrong_elements(out.copy_(x.contiguous()), 0) == 0);
        CHECK(wrong_elements(out.mul_(0).add_(x.contiguous()).add_(1), 1) == 0);
        const double sum = x.sum().item<double>(), expected = x.contiguous().sum().item<double>();
        CHECK(std::abs(sum - expected) <= 1e-6 * expected);
      }
}

TEST_CASE("transposed operands of every element size") {
  for (const ScalarType type : {kBool, kByte, kHalf, kInt32, kDouble})
    for (const std::int64_t rows : {3, 8, 9, 64, 71})
      for (const std::int64_t columns : {7, 8, 64, 130}) {
        INFO(type << ' ' << rows << " x " << columns);
        const Tensor numbers = (arange(rows * columns) * 7).remainder(64).view({rows, columns});
        const Tensor x = type == kBool ? numbers.gt(30) : numbers.to(type);
        const Values got = values(x.t().contiguous());
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < rows; ++i)
          for (std::int64_t j = 0; j < columns; ++j) {
            const std::int64_t number = (i * columns + j) * 7 % 64;
            const double expected = type == kBool ? number > 30 : static_cast<double>(number);
            wrong += got[static_cast<std::size_t>(j * rows + i)] != expected;
          }
        CHECK(wrong == 0);
      }
}

TEST_CASE("some operands are transposed, and others are not") {
  for (const std::int64_t n : {7, 8, 65, 130}) {
    INFO(n);
    const Tensor a = arange(n * n, kFloat).view({n, n}), b = a * -1;
    const Tensor even = a.remainder(2).eq(0), row = arange(n, kFloat) * 0.5;
    const Values mixed = values(where(even.t(), a.t(), b)), sum = values(a + b.t() * row);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        const auto at = static_cast<std::size_t>(i * n + j);
        const auto here = static_cast<double>(i * n + j), there = static_cast<double>(j * n + i);
        wrong += mixed[at] != ((j * n + i) % 2 == 0 ? there : -here);
        wrong += sum[at] != here - there * 0.5 * static_cast<double>(j);
      }
    CHECK(wrong == 0);
  }
}

TEST_CASE("flip turns the named dimensions around, of any strides and type") {
  for (const Device device : {Device(kCPU), Device("sim:0")})
    for (const ScalarType type : {kFloat, kLong, kHalf, kBool})
      for (const std::int64_t n : {1, 63, 600}) {
        INFO(device << ' ' << type << ' ' << n);
        const Tensor whole = (arange(3 * n * 5) * 7).remainder(64).view({3, n, 5});
        const Tensor numbers = type == kBool ? whole.gt(30) : whole.to(type);
        const Tensor sliced = cat({numbers, numbers}, 2).to(device).slice(2, 1, 6);
        for (const Tensor& x : {numbers.to(device), sliced, sliced.transpose(0, 1)})
          for (const Sizes& dims : {Sizes{}, Sizes{0}, Sizes{1}, Sizes{-1, 0}, Sizes{2, 1, 0}}) {
            Tensor expected = x;
            for (const std::int64_t d : dims)
              expected = expected.index_select(d, arange(x.size(d) - 1, -1, -1, device));
            CHECK(equal(flip(x, dims), expected));
          }
      }
}
