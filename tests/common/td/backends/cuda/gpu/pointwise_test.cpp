// The two cuda kernels of the pointwise shape, and the split of launches beyond 32-bit indices,
// against the host's loops. The operation suite covers the functions; this covers the shapes.
#include <cstring>

#include "catch.h"
#include "gpu.h"
#include "td/base/error.h"
#include "td/ops/ops.h"

namespace td {
namespace {

Tensor numbers(IntArrayRef sizes, ScalarType dtype, unsigned seed) {
  const auto values = gpu::whole_numbers<float>(static_cast<std::size_t>(numel_of(sizes)), seed);
  Tensor t = empty(sizes, TensorOptions(kFloat));
  std::memcpy(t.data_ptr(), values.data(), values.size() * sizeof(float));
  return (dtype == kByte ? t + 3 : t).to(dtype);  // no negative numbers there
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  const Tensor x = a.cpu().contiguous(), y = b.cpu().contiguous();
  return x.sizes() == y.sizes() && std::memcmp(x.data_ptr(), y.data_ptr(), x.nbytes()) == 0;
}

const ScalarType kTypes[] = {kFloat, kHalf, kBFloat16, kDouble, kLong, kByte};

TEST_CASE("packs of 16 bytes, their tails, and starts that are not aligned") {
  for (const ScalarType dtype : kTypes)
    for (const std::int64_t size : {1, 2, 3, 4, 7, 8, 15, 31, 33, 1023, 4096, 100003}) {
      const Tensor a = numbers({size + 1}, dtype, 1), b = numbers({size + 1}, dtype, 2);
      const Tensor on_a = a.to(gpu::device()), on_b = b.to(gpu::device());
      CHECK(same_bytes(on_a * on_b, a * b));
      const Tensor late_a = a.narrow(0, 1, size), late_b = b.narrow(0, 1, size);
      CHECK(same_bytes(on_a.narrow(0, 1, size) + on_b.narrow(0, 0, size),
                       late_a + b.narrow(0, 0, size)));
      CHECK(same_bytes(on_a.narrow(0, 1, size) < on_b.narrow(0, 1, size), late_a < late_b));
      CHECK(same_bytes(on_a * 3, a * 3));
    }
}

TEST_CASE("broadcast, transposed and strided operands") {
  for (const ScalarType dtype : kTypes) {
    const Tensor a = numbers({5, 7, 33}, dtype, 1), row = numbers({33}, dtype, 2);
    const Tensor column = numbers({7, 1}, dtype, 3);
    const Tensor on_a = a.to(gpu::device()), on_row = row.to(gpu::device());
    const Tensor on_column = column.to(gpu::device());
    CHECK(same_bytes(on_a + on_row, a + row));
    CHECK(same_bytes(on_column * on_a, column * a));
    CHECK(same_bytes(on_column + on_row, column + row));
    CHECK(same_bytes(on_a.transpose(0, 2) * on_a.transpose(0, 2).contiguous(),
                     a.transpose(0, 2) * a.transpose(0, 2)));
    Tensor target = a.to(gpu::device(), false, true);
    target.transpose(0, 1).add_(on_a.transpose(0, 1));
    CHECK(same_bytes(target, a + a));
  }
}

TEST_CASE("more elements than a 32-bit index reaches") {
  const std::int64_t size = (std::int64_t{1} << 32) + 12345;
  std::size_t free = 0, total = 0;
  backend(kCUDA).memory(0, &free, &total);
  if (free < static_cast<std::size_t>(size) * 5 / 4) {
    WARN("skipped: this takes " << format_bytes(static_cast<std::size_t>(size))
                                << ", and cuda:0 has " << format_bytes(free) << " free");
    return;
  }
  const Tensor big = empty({size}, TensorOptions(kByte).device(gpu::device()));
  big.narrow(0, 0, size).fill_(7);
  const auto at = [&](std::int64_t i) { return big.narrow(0, i, 1).item<std::uint8_t>(); };
  for (const std::int64_t i :
       {std::int64_t{0}, size / 4, size / 2 - 1, size / 2, size - 12346, size - 1})
    CHECK(int(at(i)) == 7);
  CHECK(big.sum().item<std::int64_t>() == 7 * size);
}

}  // namespace
}  // namespace td
