// Logic, tests of values, equality, and the in-place forms of clamp and masked_fill.
#include <cmath>
#include <limits>

#include "../tensor/values.h"
#include "catch.h"

using namespace td;
using List = std::vector<double>;

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("logical operations combine bools and bits of integers, and reject real numbers") {
  for (const Device device : devices()) {
    INFO(device);
    const Tensor a = tensor({true, true, false, false}, device),
                 b = tensor({true, false, true, false}, device);
    CHECK(values(a & b) == List{1, 0, 0, 0});
    CHECK(values(a | b) == List{1, 1, 1, 0});
    CHECK(values(~a) == List{0, 0, 1, 1});
    CHECK(values(logical_not(tensor({0.0, 2.0}, device))) == List{1, 0});
    const Tensor five = tensor({5, 12}, device), bytes = tensor({3, 255}, kByte).to(device);
    CHECK(values(five & bytes) == List{1, 12});
    CHECK((five & bytes).dtype() == kLong);
    CHECK(values(five | 2) == List{7, 14});
    CHECK(values(~five) == List{-6, -13});
    CHECK(values(~bytes) == List{252, 0});
    CHECK(values(a.narrow(0, 1, 2) | five) == List{5, 12});
  }
  CHECK(message<DtypeError>([] {
          ~tensor({1.0, 2.0});
        }) ==
        "operator~: expected bool tensors or integers but got float32; make one with a "
        "comparison such as x > 0");
  CHECK_THROWS_AS(tensor({1.0}) & tensor({true}), DtypeError);
}

TEST_CASE("NaN, infinities, and integers, which are neither") {
  for (const Device device : devices()) {
    INFO(device);
    for (const ScalarType type : {kDouble, kFloat, kHalf, kBFloat16}) {
      const Tensor x = tensor({1.0, nan_value, infinity, -infinity}).to(device, type);
      CHECK(values(isnan(x)) == List{0, 1, 0, 0});
      CHECK(values(isinf(x)) == List{0, 0, 1, 1});
      CHECK(values(isfinite(x)) == List{1, 0, 0, 0});
    }
    const Tensor whole = tensor({0, 5}, device);
    CHECK(values(isnan(whole)) == List{0, 0});
    CHECK(values(isinf(whole)) == List{0, 0});
    CHECK(values(isfinite(whole)) == List{1, 1});
  }
}

TEST_CASE("equal and allclose") {
  for (const Device device : devices()) {
    INFO(device);
    const Tensor x = tensor({1.0, infinity}, device);
    CHECK(equal(x, x.clone()));
    CHECK_FALSE(equal(x, tensor({1.0, 2.0}, device)));
    CHECK_FALSE(equal(x, tensor({1.0}, device)));
    CHECK(equal(zeros({0}, device), zeros({0}, device)));
    CHECK(allclose(x, tensor({1.000001, infinity}, device)));
    CHECK_FALSE(allclose(x, tensor({1.1, infinity}, device)));
    CHECK_FALSE(allclose(tensor({5.0}, device), tensor({infinity}, device)));
    const Tensor n = tensor({nan_value}, device);
    CHECK_FALSE(allclose(n, n));
    CHECK(allclose(n, n, 1e-5, 1e-8, true));
    CHECK_FALSE(equal(n, n));
  }
  CHECK(message<DeviceError>([] {
          equal(ones({1}), ones({1}, "sim:0"));
        }).find("\"other\" is on sim:0") != std::string::npos);
}

TEST_CASE("clamp: one limit, NaN, promotion, in place with its gradient") {
  CHECK(values(clamp_min(tensor({-1.0, 2.0}), 0)) == List{0, 2});
  CHECK(values(clamp_max(tensor({-1.0, 2.0}), 0)) == List{-1, 0});
  CHECK(std::isnan(clamp(tensor({nan_value}), 0, 1).item<double>()));
  CHECK(clamp(tensor({1.0, 2.0}), nan_value, 5).isnan().all().item<bool>());
  CHECK(clamp_max(tensor({1.0, 2.0}), nan_value).isnan().all().item<bool>());
  CHECK(values(clamp_min(tensor({-infinity, infinity}), 0)) == List{0, infinity});
  CHECK(values(clamp_max(tensor({-infinity, infinity}), 0)) == List{-infinity, 0});
  CHECK(values(clamp_max(tensor({-2147483648, 9}, kInt), 5)) == List{-2147483648.0, 5});
  CHECK(values(clamp_min(tensor({0, 255}, kUInt8), 5)) == List{5, 255});
  CHECK(values(clamp(tensor({-1.0, 0.5, 2.0}), 1, 0)) == List{0, 0, 0});  // the limits cross
  CHECK(clamp(tensor({1, 2}), 0.5).dtype() == kFloat);
  CHECK(clamp(tensor({1, 2}), 2).dtype() == kLong);
  const Tensor x = tensor({-1.0, 0.5, 2.0}, requires_grad());
  Tensor y = x * 1;
  y.clamp_(0, 1);
  y.sum().backward();
  CHECK(values(y) == List{0, 0.5, 1});
  CHECK(values(x.grad()) == List{0, 1, 0});
  CHECK(message<Error>([] { clamp(ones({1}), nullopt); }) ==
        "clamp: give at least one of min and max");
}

TEST_CASE("masked_fill_ changes what the mask says, broadcast, and cuts the gradient there") {
  for (const Device device : devices()) {
    INFO(device);
    const Tensor x = ones({2, 2}, TensorOptions(device)).requires_grad_();
    Tensor y = x * 3;
    y.masked_fill_(tensor({true, false}, device), 0);
    y.sum().backward();
    CHECK(values(y) == List{0, 3, 0, 3});
    CHECK(values(x.grad()) == List{0, 3, 0, 3});
    Tensor columns = zeros({2, 3}, TensorOptions(device)).t();
    columns.masked_fill_(tensor({true, false}, device), 7);
    CHECK(values(columns) == List{7, 0, 7, 0, 7, 0});
  }
  CHECK(message<ShapeError>([] {
          ones({2}).masked_fill_(ones({3, 2}, kBool), 0);
        }) == "masked_fill_: \"mask\" of sizes [3, 2] does not fit into \"input\" of sizes [2]");
  CHECK(message<DtypeError>([] { masked_fill(ones({2}), ones({2}), 0); }) ==
        "masked_fill: expected bool tensors but got float32; make one with a comparison such as x "
        "> 0");
}
