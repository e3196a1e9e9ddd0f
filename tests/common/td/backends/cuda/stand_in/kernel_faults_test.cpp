// Small launches for each way in which a kernel, its arguments or its grid can be wrong. The
// stand-in finds what is wrong; tests/system/planted_faults.py plants it.
#include <cuda_runtime.h>

#include <catch2/catch.hpp>

#include "fake_gpus.h"
#include "td/base/error.h"

using namespace td;

namespace {

/// Numbers on the host that differ from element to element.
Tensor numbers(IntArrayRef sizes) {
  return arange(0, numel_of(sizes), kFloat).mul(0.37).sin().view(sizes);
}

template <class F>
void check_as_on_host(const Tensor& x, F f) {
  CHECK(allclose(f(x.to(fake::gpu())).cpu(), f(x), 1e-5, 1e-6));
}

TEST_CASE("a 0-dimensional tensor and a number") {
  for (const ScalarType dtype : {kFloat, kHalf, kBFloat16, kDouble, kLong}) {
    const Tensor x = full({}, 3).to(fake::gpu(), dtype);
    CHECK((x + 2).to(kDouble).item<double>() == 5);
    CHECK((2 + x.expand({20}).contiguous()).to(kDouble).sum().item<double>() == 100);
  }
}

TEST_CASE("a sum that begins 4 bytes after an aligned address") {
  for (const std::int64_t size : {1, 3, 6, 1000})
    check_as_on_host(numbers({size + 1}),
                     [&](const Tensor& x) { return x.narrow(0, 1, size) + x.narrow(0, 0, size); });
}

TEST_CASE("more elements than 32 bits count", "[.edges]") {
  const std::int64_t size = (std::int64_t{1} << 32) + 12345;
  const Tensor x = empty({size}, TensorOptions(kByte).device(fake::gpu()));
  x.fill_(7);
  CHECK(int(x.narrow(0, 0, 1).item<std::uint8_t>()) == 7);
  CHECK(int(x.narrow(0, size - 1, 1).item<std::uint8_t>()) == 7);
}

TEST_CASE("a product over no features") {
  const TensorOptions options(fake::gpu());
  CHECK(equal(mm(empty({2, 0}, options), empty({0, 3}, options)).cpu(), zeros({2, 3})));
}

TEST_CASE("a launch that CUDA refuses is told by this launch, and by no other") {
  const Tensor x = ones({8}, TensorOptions(fake::gpu()));
  cuda_stand_in::fail_next("cudaLaunchKernel", cudaErrorInvalidConfiguration);
  CHECK_THROWS_WITH(x + 1, Catch::StartsWith("add on cuda:0: invalid configuration argument"));
  CHECK((x + 1).sum().item<float>() == 16);
}

TEST_CASE("softmax of no rows, of short rows and of long rows") {
  for (const std::int64_t n : {20, 2000})
    for (const std::int64_t rows : {0, 3})
      check_as_on_host(numbers({rows, n}), [](const Tensor& x) { return softmax(x, 1); });
}

TEST_CASE("layer_norm of long rows") {
  check_as_on_host(numbers({3, 2000}), [](const Tensor& x) { return layer_norm(x, {2000}); });
}

TEST_CASE("softmax of 280,000 rows", "[.edges]") {
  const Tensor y = softmax(zeros({280'000, 2}, TensorOptions(fake::gpu())), 1);
  CHECK(y[0][1].item<float>() == 0.5);
  CHECK(y[279'999][1].item<float>() == 0.5);
}

TEST_CASE("a sum in pieces") {
  check_as_on_host(numbers({200'000}), [](const Tensor& x) { return x.sum(); });
}

}  // namespace
