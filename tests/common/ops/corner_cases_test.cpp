// Corners where the core once differed from libtorch: the conformance programs found them, these
// tests hold them on every device.
#include <catch2/catch.hpp>
#include <limits>

#include "../tensor/values.h"

using namespace td;
using List = std::vector<double>;

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("a result's memory order follows its input, where the input's strides tell") {
  const Tensor x = ones({4, 3});
  CHECK(x.t().exp().strides() == IntArrayRef({1, 3}));
  CHECK(ones({4}).expand({3, 4}).exp().strides() == IntArrayRef({4, 1}));
  CHECK(ones({3, 1}).expand({2, 3, 4}).exp().strides() == IntArrayRef({12, 4, 1}));
  CHECK(ones({3, 2, 4}).transpose(0, 1).exp().strides() == IntArrayRef({4, 8, 1}));
  CHECK(ones({3, 8}).slice(1, 0, 8, 2).exp().strides() == IntArrayRef({4, 1}));
  for (const ScalarType type : {kFloat32, kInt64}) {
    CHECK(x.to(type).t().isinf().strides() == IntArrayRef({1, 3}));
    CHECK(x.to(type).t().isfinite().strides() == IntArrayRef({1, 3}));
  }
}

TEST_CASE("floor, ceil and round leave whole numbers and their type alone") {
  for (const Device device : devices()) {
    INFO(device);
    for (const ScalarType type : {kUInt8, kInt32, kInt64}) {
      Tensor x = tensor({3, 7}).to(device, type);
      for (const Tensor& y : {x.floor(), x.ceil(), x.round()}) {
        CHECK(y.dtype() == type);
        CHECK(values(y) == List{3, 7});
      }
      CHECK(values(x.floor_()) == List{3, 7});
    }
  }
}

TEST_CASE("the sign of NaN is 0") {
  for (const Device device : devices()) {
    INFO(device);
    CHECK(values(tensor({nan_value, -2.5, 0.0, 4.0}, device).sign()) == List{0, -1, 0, 1});
  }
}

TEST_CASE("allclose compares bools, and refuses two types") {
  CHECK(tensor({true, false}).allclose(tensor({true, false})));
  CHECK_FALSE(tensor({true, false}).allclose(tensor({true, true})));
  CHECK_FALSE(tensor({0, 255}, kUInt8).allclose(tensor({255, 255}, kUInt8)));
  CHECK(message<DtypeError>([] { ones({2}).allclose(ones({2}, kFloat64)); }) ==
        "allclose: \"input\" is float32 but \"other\" is float64; convert one with to(dtype)");
}

TEST_CASE("nonzero keeps the places of one dimension side by side") {
  for (const Device device : devices()) {
    const Tensor places = tensor({{0, 3}, {5, 0}, {0, 7}}, device).nonzero();
    CHECK(places.sizes() == IntArrayRef({3, 2}));
    CHECK(places.strides() == IntArrayRef({1, 3}));
    CHECK(values(places) == List{0, 1, 1, 0, 2, 1});
  }
}
