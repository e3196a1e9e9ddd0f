// Kernels that read 16-bit numbers and give float32: sums, means, products and softmax with a
// `dtype`. The result must be that of float64 to float32's accuracy (so nothing was rounded to 16
// bits on the way), and no float32 copy of the input may be made.
#include "../reference.h"
#include "catch.h"
#include "td/td.h"

using namespace td;
using namespace reference;

namespace {

using Make = std::function<Tensor(const Tensor&, optional<ScalarType>)>;

struct Mixed {
  const char* name;
  Make make;
};

const std::vector<Mixed> kMixed{
    {"sum", [](const Tensor& x, auto type) { return sum(x, type); }},
    {"sum of rows", [](const Tensor& x, auto type) { return sum(x, {1}, false, type); }},
    {"sum of columns", [](const Tensor& x, auto type) { return sum(x, {0}, true, type); }},
    {"mean",
     [](const Tensor& x, auto type) {
       return mean(x, {0, 1}, false, type);
     }},
    {"prod", [](const Tensor& x, auto type) { return prod(x, -1, false, type); }},
    {"softmax", [](const Tensor& x, auto type) { return softmax(x, 1, type); }},
    {"softmax of columns", [](const Tensor& x, auto type) { return softmax(x, 0, type); }},
    {"log_softmax", [](const Tensor& x, auto type) { return log_softmax(x, -1, type); }},
};

// Gradients of weighted(f(x)), with x as a leaf.
std::pair<Tensor, Tensor> with_gradient(const Make& f, const Tensor& x, ScalarType type) {
  const Tensor leaf = x.detach().requires_grad_();
  const Tensor y = f(leaf, type);
  (y * filled(y.sizes(), kDouble, 99).to(y.device(), y.dtype())).sum().backward();
  return {y.detach(), leaf.grad()};
}

}  // namespace

TEST_CASE("16-bit in, float32 out: values and gradients") {
  for (const Device device : all_devices())
    for (const ScalarType dtype : {kHalf, kBFloat16})
      for (const Mixed& op : kMixed)
        for (const bool apart : {false, true}) {
          INFO(op.name << " of " << dtype << " on " << device << (apart ? ", strided" : ""));
          const Tensor dense = filled({7, 33}, dtype).to(device);
          const Tensor x = apart ? strided(dense) : dense;
          const auto [y, gradient] = with_gradient(op.make, x, kFloat);
          const auto [exact, exact_gradient] =
              with_gradient(op.make, x.to(kCPU, kDouble).contiguous(), kDouble);
          CHECK(y.dtype() == kFloat);
          CHECK(distance(values(y), values(exact)) < 4e-6);
          CHECK(gradient.dtype() == dtype);  // rounded once, to the type of x
          const double unit = dtype == kHalf ? 0x1p-11 : 0x1p-8;
          const Values got = values(gradient), want = values(exact_gradient);
          for (std::size_t i = 0; i < want.size(); ++i)
            CHECK(std::abs(got[i] - want[i]) <= 1.01 * unit * std::abs(want[i]) + 1e-6);
        }
}

TEST_CASE("16-bit in, float32 out: the gradient of the gradient goes through") {
  const Tensor x = filled({3, 5}, kHalf).requires_grad_();
  for (const Mixed& op : kMixed) {
    INFO(op.name);
    const Tensor y = op.make(x, kFloat);
    const Tensor g = autograd::grad({(y * y).sum()}, {x}, {}, nullopt, true)[0];
    CHECK(g.dtype() == kHalf);
    const Tensor again = autograd::grad({g.to(kFloat).sum()}, {x})[0];
    CHECK(again.dtype() == kHalf);
    const Tensor wide = x.detach().to(kDouble).requires_grad_(), z = op.make(wide, kDouble);
    const Tensor slope = autograd::grad({(z * z).sum()}, {wide}, {}, nullopt, true)[0];
    const Tensor exact = autograd::grad({slope.sum()}, {wide})[0];
    CHECK(distance(values(again), values(exact)) < 2e-2);
  }
}

TEST_CASE("16-bit in, float32 out: no copy of the input is made") {
  for (const Device device : all_devices())
    for (const ScalarType dtype : {kHalf, kBFloat16}) {
      const Tensor x = filled({64, 1024}, dtype).to(device);
      for (const Mixed& op : kMixed) {
        INFO(op.name << " of " << dtype << " on " << device);
        op.make(x, kFloat);  // cuda: room for the pieces of a reduction
        const std::size_t before = memory_stats(device).allocated;
        allocator(device).reset_peak();
        const Tensor y = op.make(x, kFloat);
        const std::size_t result = y.nbytes();
        // In steps of the allocator's blocks; a float copy would take 262144 bytes.
        CHECK(memory_stats(device).peak_allocated - before <= result + 65536);
      }
    }
}

TEST_CASE("sums of 16-bit numbers do not overflow while adding, and keep infinity and NaN") {
  for (const Device device : all_devices()) {
    const Tensor x = full({1000}, 60000.0, TensorOptions(kHalf).device(device));
    CHECK(sum(x, kFloat).item<float>() == 60000.0f * 1000);
    CHECK(sum(x).item<float>() == INFINITY);   // 6e7 is beyond half
    CHECK(mean(x).item<float>() == 60000.0f);  // but the mean is not
    const Tensor tiny = full({4096}, 0x1p-24, TensorOptions(kHalf).device(device));
    CHECK(sum(tiny).item<float>() == 0x1p-12f);  // the smallest subnormal number
    Tensor with_nan = x.clone();
    with_nan[3] = NAN;
    CHECK(std::isnan(sum(with_nan, kFloat).item<float>()));
    CHECK(std::isnan(softmax(with_nan, 0, kFloat)[0].item<float>()));
  }
}
