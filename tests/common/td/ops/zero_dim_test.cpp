// 0-dimensional tensors with numbers, for every element type and every kind of operation that takes
// a number. Such a launch has operands of one element, of which the number has no memory.
#include <cmath>
#include <functional>

#include "../tensor/values.h"
#include "amp/grad_scaler.h"
#include "catch.h"
#include "td/optim/adam.h"
#include "td/optim/sgd.h"
#include "td_more/td_more.h"

using namespace td;

namespace {

const std::vector<ScalarType> kFloats{kFloat, kDouble, kHalf, kBFloat16};
const std::vector<ScalarType> kIntegers{kByte, kInt, kLong};
const std::vector<ScalarType> kNumbers{kFloat, kDouble, kHalf, kBFloat16, kByte, kInt, kLong};

/// `run` of a 0-dimensional 3 gives `expected`, a number that every type of `types` holds exactly
/// unless it says how far off it may be.
struct Case {
  const char* name;
  std::function<Tensor(const Tensor&)> run;
  double expected;
  const std::vector<ScalarType>& types = kNumbers;
  double tolerance = 0;
};

Tensor scalar(double value, Device device, ScalarType dtype) {
  return full({}, value).to(device, dtype);
}

void check(const std::vector<Case>& cases) {
  for (const Device device : devices())
    for (const Case& c : cases)
      for (const ScalarType dtype : c.types) {
        INFO(c.name << " of a " << dtype << " on " << device);
        const Tensor y = c.run(scalar(3, device, dtype));
        CHECK(y.dim() == 0);
        CHECK(y.device() == device);
        CHECK(std::fabs(values(y).at(0) - c.expected) <= c.tolerance);
      }
}

}  // namespace

TEST_CASE("a 0-dimensional tensor and a number: arithmetic") {
  check({
      {"x + 2", [](const Tensor& x) { return x + 2; }, 5},
      {"2 + x", [](const Tensor& x) { return 2 + x; }, 5},
      {"x - 2", [](const Tensor& x) { return x - 2; }, 1},
      {"8 - x", [](const Tensor& x) { return 8 - x; }, 5},
      {"x * 2", [](const Tensor& x) { return x * 2; }, 6},
      {"2 * x", [](const Tensor& x) { return 2 * x; }, 6},
      {"x / 2", [](const Tensor& x) { return x / 2; }, 1.5},
      {"12 / x", [](const Tensor& x) { return 12 / x; }, 4},
      {"x + 2 * 4", [](const Tensor& x) { return add(x, 2, 4); }, 11},
      {"div floor", [](const Tensor& x) { return div(x, 2, "floor"); }, 1},
      {"div trunc", [](const Tensor& x) { return div(x, 2, "trunc"); }, 1},
      {"remainder", [](const Tensor& x) { return remainder(x, 2); }, 1},
      {"remainder of 8", [](const Tensor& x) { return remainder(8, x); }, 2},
      {"x^2", [](const Tensor& x) { return pow(x, 2); }, 9},
      {"2^x", [](const Tensor& x) { return pow(2, x); }, 8},
      {"x + 0.5", [](const Tensor& x) { return x + 0.5; }, 3.5, kFloats},
      {"x + tensor on the cpu", [](const Tensor& x) { return x + full({}, 2, kFloat); }, 5},
      {"x * tensor on the cpu", [](const Tensor& x) { return full({}, 2, kFloat) * x; }, 6},
      {"maximum", [](const Tensor& x) { return maximum(x, full({}, 4, x.dtype())); }, 4},
      {"addcmul", [](const Tensor& x) { return addcmul(x, x, x, 2); }, 21},
      {"addcdiv", [](const Tensor& x) { return addcdiv(x, x, x, 2); }, 5, kFloats},
      {"lerp", [](const Tensor& x) { return lerp(x, x * 3, 0.5); }, 6, kFloats},
      {"-x", [](const Tensor& x) { return -x; }, -3, kFloats},
  });
}

TEST_CASE("a 0-dimensional tensor and a number: choices, limits and activations") {
  check({
      {"x == 3", [](const Tensor& x) { return x == 3; }, 1},
      {"3 != x", [](const Tensor& x) { return 3 != x; }, 0},
      {"x < 4", [](const Tensor& x) { return x < 4; }, 1},
      {"4 < x", [](const Tensor& x) { return 4 < x; }, 0},
      {"x >= 4", [](const Tensor& x) { return x >= 4; }, 0},
      {"where(c, 7, x)", [](const Tensor& x) { return where(x > 2, 7, x); }, 7},
      {"where(c, x, 7)", [](const Tensor& x) { return where(x > 2, x, 7); }, 3},
      {"where(c, 5, 7)", [](const Tensor& x) { return where(x > 3, 5, 7); }, 7},
      {"masked_fill", [](const Tensor& x) { return masked_fill(x, x == 3, 9); }, 9},
      {"clamp", [](const Tensor& x) { return clamp(x, 1, 2); }, 2},
      {"clamp_min", [](const Tensor& x) { return clamp_min(x, 4); }, 4},
      {"clamp_max", [](const Tensor& x) { return clamp_max(x, 2); }, 2},
      {"x & 6", [](const Tensor& x) { return x & 6; }, 2, kIntegers},
      {"x | 4", [](const Tensor& x) { return x | 4; }, 7, kIntegers},
      {"leaky_relu", [](const Tensor& x) { return leaky_relu(-x, 0.5); }, -1.5, kFloats},
      {"elu", [](const Tensor& x) { return elu(x, 2); }, 3, kFloats},
      {"softplus", [](const Tensor& x) { return softplus(x); }, std::log1p(std::exp(3.0)), kFloats,
       0.02},
      {"norm", [](const Tensor& x) { return norm(x, 2); }, 3, kFloats},
      {"scatter",
       [](const Tensor& x) { return scatter(x, 0, zeros({}, x.options().dtype(kLong)), 5); }, 5},
  });
}

TEST_CASE("a 0-dimensional tensor changed in place by a number") {
  const auto in_place = [](auto change) {
    return [change](Tensor x) {
      change(x);
      return x;
    };
  };
  check({
      {"+=", in_place([](Tensor& x) { x += 2; }), 5},
      {"-=", in_place([](Tensor& x) { x -= 2; }), 1},
      {"*=", in_place([](Tensor& x) { x *= 2; }), 6},
      {"/=", in_place([](Tensor& x) { x /= 2; }), 1.5, kFloats},
      {"add_", in_place([](Tensor& x) { x.add_(2, 4); }), 11},
      {"fill_", in_place([](Tensor& x) { x.fill_(7); }), 7},
      {"zero_", in_place([](Tensor& x) { x.zero_(); }), 0},
      {"copy_ from the cpu", in_place([](Tensor& x) { x.copy_(full({}, 4, kFloat)); }), 4},
      {"clamp_", in_place([](Tensor& x) { x.clamp_(0, 2); }), 2},
      {"masked_fill_", in_place([](Tensor& x) { x.masked_fill_(x == 3, 9); }), 9},
  });
}

TEST_CASE("a 0-dimensional bool and a number") {
  for (const Device device : devices()) {
    INFO(device);
    const Tensor yes = scalar(1, device, kBool);
    CHECK(values(yes + 2) == std::vector<double>{3});
    CHECK((yes + 2).dtype() == kLong);
    CHECK(values(yes * 0.5) == std::vector<double>{0.5});
    CHECK(values(yes == true) == std::vector<double>{1});
    CHECK(values(where(yes, 5, 7)) == std::vector<double>{5});
    CHECK(values(masked_fill(yes, yes, false)) == std::vector<double>{0});
  }
}

TEST_CASE("a 0-dimensional loss is scaled, and its gradient comes back") {
  for (const Device device : devices())
    for (const ScalarType dtype : kFloats) {
      INFO(dtype << " on " << device);
      Tensor w = scalar(3, device, dtype).requires_grad_();
      ((w * w * 0.5 + 1) / 4 - 2).backward();  // d/dw = w / 4
      CHECK(values(w.grad()) == std::vector<double>{0.75});
      optim::SGD sgd({w}, optim::SGDOptions(2).momentum(0.5).weight_decay(0.25));
      sgd.step();  // 3 - 2 * (0.75 + 0.25 * 3)
      CHECK(values(w) == std::vector<double>{0});
      optim::Adam adam({w}, optim::AdamOptions(0.5));
      adam.step();  // the first step of Adam is the learning rate, against the sign
      CHECK(values(w).at(0) == Approx(-0.5).epsilon(1e-3));
    }
}

TEST_CASE("a gradient scaler multiplies and divides a 0-dimensional loss") {
  for (const Device device : devices()) {
    if (device.is_cpu()) continue;
    INFO(device);
    Tensor w = scalar(3, device, kFloat).requires_grad_();
    optim::SGD sgd({w}, optim::SGDOptions(1));
    amp::GradScaler scaler(amp::GradScalerOptions().init_scale(8));
    scaler.scale(w * 0.5).backward();
    CHECK(values(w.grad()) == std::vector<double>{4});
    scaler.step(sgd);
    scaler.update();
    CHECK(values(w) == std::vector<double>{2.5});
  }
}
