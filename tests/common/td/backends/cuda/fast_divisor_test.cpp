// The division that cuda kernels use for loop indices, against the processor's own.
#include "td/kernels/geometry.h"

#include <vector>

#include "catch.h"

namespace td {
namespace {

TEST_CASE("FastDivisor divides every index below 2^31 exactly") {
  std::vector<std::uint32_t> sizes = {1, 2, 3, 5, 7, 9, 10, 31, 32, 33, 127, 641, 1000, 1023, 1024};
  for (int bit = 11; bit <= 31; ++bit)
    for (const int near : {-1, 0, 1})
      if (bit < 31 || near <= 0) sizes.push_back((1u << bit) + static_cast<std::uint32_t>(near));
  int wrong = 0;
  for (const std::uint32_t size : sizes) {
    const FastDivisor divisor(size);
    const auto check = [&](std::uint64_t n) {
      if (n >= 1ull << 31) return;
      const auto index = static_cast<std::uint32_t>(n);
      if (divisor.quotient(index) != index / size) ++wrong;
    };
    for (std::uint64_t n = 0; n < 3000; ++n) check(n);
    // The quotient can only be wrong where it changes: next to multiples of the size.
    for (std::uint64_t n = size; n < 1ull << 31; n += size * (1 + (1ull << 31) / size / 5000)) {
      check(n - 1);
      check(n);
      check(n + 1);
    }
    for (std::uint64_t n = (1ull << 31) - 3000; n < 1ull << 31; ++n) check(n);
  }
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace td
