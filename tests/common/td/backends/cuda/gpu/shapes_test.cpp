// Shapes for which device code takes another path than for those of the operation suite, compared
// with cpu. Integers, so that every order of additions gives the same bits.
#include "catch.h"
#include "td/td.h"

using namespace td;

namespace {

Tensor small_numbers(IntArrayRef sizes, ScalarType dtype) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  return arange(count, kLong).remainder(7).sub(3).to(dtype).view(sizes);
}

bool equal_on_cuda(const Tensor& x, const std::function<Tensor(const Tensor&)>& f) {
  return f(x.to("cuda:0")).cpu().equal(f(x));
}

}  // namespace

TEST_CASE("running sums of long rows: a block per row, in one chunk and in several", "[shapes]") {
  for (const ScalarType dtype : {kInt, kLong, kFloat, kDouble})
    for (const std::int64_t n : {17, 31, 33, 128, 129, 1023, 4097, 20001}) {
      INFO(dtype << ", " << n);
      CHECK(
          equal_on_cuda(small_numbers({3, n}, dtype), [](const Tensor& x) { return x.cumsum(1); }));
      CHECK(
          equal_on_cuda(small_numbers({n, 3}, dtype), [](const Tensor& x) { return x.cumsum(0); }));
    }
}

TEST_CASE("running products of long rows", "[shapes]") {
  const Tensor signs = small_numbers({2, 5000}, kLong).ge(0).to(kLong).mul(2).sub(1);
  CHECK(equal_on_cuda(signs, [](const Tensor& x) { return x.cumprod(1); }));
}

TEST_CASE("a reduction over three dimensions that do not join", "[shapes]") {
  const Tensor x = small_numbers({4, 3, 5, 2, 6}, kFloat);
  CHECK(equal_on_cuda(x, [](const Tensor& t) { return t.sum({0, 2, 4}); }));
  CHECK(equal_on_cuda(x, [](const Tensor& t) { return t.amax({0, 2, 4}); }));
  const Tensor many = small_numbers({20, 3, 21, 2, 22}, kInt);
  CHECK(equal_on_cuda(many, [](const Tensor& t) { return t.sum({0, 2, 4}); }));
}
