// Small launches for each way in which a kernel, its arguments or its grid can be wrong. The
// stand-in finds what is wrong; tests/system/planted_faults.py plants it.
#include <cuda_runtime.h>

#include "catch.h"
#include "fake_gpus.h"
#include "td/base/error.h"
#include "td/optim/sgd.h"
#include "td_more/td_more.h"

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

TEST_CASE("a sum of transposed tensors") {
  check_as_on_host(numbers({7, 9, 11}), [](const Tensor& x) {
    return x + x.transpose(0, 2).contiguous().transpose(0, 2);
  });
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

TEST_CASE("a launch that CUDA refuses is an error of this launch, and of no other") {
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

TEST_CASE("sums of rows and columns, and in pieces") {
  check_as_on_host(numbers({200'000}), [](const Tensor& x) { return x.sum(); });
  for (const std::int64_t dim : {0, 1})
    check_as_on_host(numbers({37, 300}), [&](const Tensor& x) { return x.sum(dim); });
}

TEST_CASE("a sort of a tile, and of tiles that are merged") {
  for (const std::int64_t n : {300, 3000})
    check_as_on_host(numbers({2, n}), [](const Tensor& x) { return std::get<0>(x.sort(1)); });
}

TEST_CASE("running sums of short and long rows") {
  for (const std::int64_t n : {40, 20'000})
    check_as_on_host(numbers({2, n}).abs(), [](const Tensor& x) { return x.cumsum(1); });
}

TEST_CASE("batch_norm by pixel") {
  check_as_on_host(numbers({2, 3, 5, 7}), [](const Tensor& x) {
    const Tensor none;
    return batch_norm(x, none, none, none, none, true, 0.1, 1e-5);
  });
}

TEST_CASE("a step of an optimizer over tensors of several sizes") {
  std::vector<Tensor> parameters;
  for (const std::int64_t n : {5, 1, 300}) {
    parameters.push_back(ones({n}, TensorOptions(fake::gpu())).requires_grad_());
    parameters.back().mutable_grad() = ones({n}, TensorOptions(fake::gpu()));
  }
  optim::SGD sgd(parameters, optim::SGDOptions(0.5));
  sgd.step();
  for (const Tensor& p : parameters) CHECK(p.detach().amax().item<float>() == 0.5);
}

}  // namespace
