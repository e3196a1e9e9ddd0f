// Corner cases where the core once differed from libtorch: the conformance programs found them,
// these tests check them on every device.
#include <cmath>
#include <limits>

#include "../tensor/values.h"
#include "captured_warnings.h"
#include "td/autograd/engine.h"
#include "td/nn/functional.h"
#include "td/nn/layers.h"
#include "td/nn/utils.h"

using namespace td;
using List = std::vector<double>;

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("a result's memory format follows its input, if the input's strides determine it") {
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

TEST_CASE("floor, ceil and round do not change integers or their type") {
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

TEST_CASE("allclose compares bools, and rejects two types") {
  CHECK(tensor({true, false}).allclose(tensor({true, false})));
  CHECK_FALSE(tensor({true, false}).allclose(tensor({true, true})));
  CHECK_FALSE(tensor({0, 255}, kUInt8).allclose(tensor({255, 255}, kUInt8)));
  CHECK(message<DtypeError>([] { ones({2}).allclose(ones({2}, kFloat64)); }) ==
        "allclose: \"input\" is float32 but \"other\" is float64; convert one with to(dtype)");
}

TEST_CASE("nonzero stores the indices of one dimension next to each other") {
  for (const Device device : devices()) {
    const Tensor places = tensor({{0, 3}, {5, 0}, {0, 7}}, device).nonzero();
    CHECK(places.sizes() == IntArrayRef({3, 2}));
    CHECK(places.strides() == IntArrayRef({1, 3}));
    CHECK(values(places) == List{0, 1, 1, 0, 2, 1});
  }
}

TEST_CASE("nonzero and masked_select: gaps of several rows, nothing chosen, no elements") {
  for (const Device device : devices()) {
    const Tensor x = zeros({3, 4, 5}, device);
    CHECK(x.nonzero().sizes() == IntArrayRef({0, 3}));
    x[0][0][3].fill_(1), x[0][3][0].fill_(2), x[2][0][4].fill_(3), x[2][3][3].fill_(4);
    CHECK(values(x.nonzero()) == List{0, 0, 3, 0, 3, 0, 2, 0, 4, 2, 3, 3});
    CHECK(values(masked_select(x, x.gt(1))) == List{2, 3, 4});
    CHECK(values(x.transpose(0, 2).gt(2).nonzero()) == List{3, 3, 2, 4, 0, 2});
    CHECK(zeros({2, 0, 3}, device).nonzero().sizes() == IntArrayRef({0, 3}));
    CHECK(masked_select(x, zeros({5}, device).to(kBool)).sizes() == IntArrayRef({0}));
    CHECK(zeros({}, device).nonzero().sizes() == IntArrayRef({0, 0}));
    CHECK(ones({}, device).nonzero().sizes() == IntArrayRef({1, 0}));
  }
}

TEST_CASE("an expanded tensor is not changed in place, but may be filled") {
  for (const Device device : devices()) {
    Tensor x = ones({2}, device).expand({3, 2});
    CHECK(message<ShapeError>([&] { x.add_(1); }) ==
          "add: the tensor of sizes [3, 2] was expanded, so several of its elements are one in "
          "memory "
          "and cannot be changed in place; clone() it first");
    CHECK_THROWS_AS(x.exp_(), ShapeError);
    CHECK_THROWS_AS(x.copy_(zeros({3, 2}, device)), ShapeError);
    x.fill_(7);
    CHECK(values(x) == List{7, 7, 7, 7, 7, 7});
    Tensor one = ones({1, 2}, device).expand({1, 2});
    CHECK(values(one.add_(1)) == List{2, 2});
  }
}

TEST_CASE("two inputs determine the memory format of a result") {
  const Tensor row = ones({4}).expand({3, 4}), turned = ones({4, 3}).t();
  CHECK((row + ones({3, 4})).strides() == IntArrayRef({4, 1}));
  CHECK((row * turned).strides() == IntArrayRef({1, 3}));
  CHECK((turned == row).strides() == IntArrayRef({1, 3}));
  CHECK((turned + ones({3, 1})).strides() == IntArrayRef({1, 3}));
  // Dimensions of size 1 keep their stride where there are no gaps.
  const Tensor thin = ones({2, 3}).t().unsqueeze(0);
  CHECK(thin.exp().strides() == thin.strides());
}

TEST_CASE("bool tensors are not subtracted") {
  const Tensor flags = ones({2}, kBool);
  const char* text =
      "sub: not defined for bool tensors; use logical_xor or convert them to a number type";
  CHECK(message<DtypeError>([&] { flags - flags; }) == text);
  CHECK(message<DtypeError>([&] { ones({2}) - flags; }) == text);
  CHECK(message<DtypeError>([&] { 1 - flags; }) == text);
  CHECK(message<DtypeError>([&] { ones({2}).sub_(flags); }) == text);
}

TEST_CASE("repeat copies, also where dimensions are one element in memory") {
  const Tensor x = tensor({1.0, 2.0}).expand({3, 2});
  for (const Tensor& y : {x.repeat({2, 1, 1}), x.repeat({1, 1})}) {
    CHECK(y.is_contiguous());
    CHECK(y.data_ptr() != x.data_ptr());
  }
  CHECK(values(ones({}).repeat({3}).add_(1)) == List{2, 2, 2});
}

TEST_CASE("a dimension without elements has as many chunks as asked for") {
  const TensorList parts = zeros({0, 2}).chunk(3);
  REQUIRE(parts.size() == 3);
  CHECK(parts[2].sizes() == IntArrayRef({0, 2}));
}

TEST_CASE("arithmetic of bool tensors is a logical and, or a logical or") {
  const Tensor a = tensor({true, true, false, false}), b = tensor({true, false, true, false});
  const Tensor both = tensor({true, false, false, false}), one = tensor({true, true, true, false});
  CHECK(minimum(a, b).equal(both));
  CHECK(maximum(a, b).equal(one));
  CHECK((a * b).equal(both));
  CHECK(add(a, b, 2).equal(one));
  CHECK(add(a, b, 0).equal(a));
  CHECK(a.clone().mul_(b).equal(both));
  CHECK(a.clone().add_(b, 3).equal(one));
}

TEST_CASE("a norm of any order has gradients in float64's digits, and zeros at 0") {
  const auto gradient = [](const Tensor& values, double order) {
    const Tensor x = values.clone().requires_grad_();
    x.norm(order).backward();
    return x.grad();
  };
  const Tensor x = tensor({3.0, -4.0, 0.0, 1.5}, kFloat64);
  for (const double p : {0.5, 1.5, 2.5, 3.0}) {
    double sum = 0;
    for (const double v : {3.0, 4.0, 1.5}) sum += std::pow(v, p);
    const double norm = std::pow(sum, 1 / p);
    CHECK(x.norm(p).item<double>() == Approx(norm).epsilon(1e-14));
    const Tensor g = gradient(x, p);
    CHECK(g[0].item<double>() == Approx(std::pow(3 / norm, p - 1)).epsilon(1e-13));
    CHECK(g[1].item<double>() == Approx(-std::pow(4 / norm, p - 1)).epsilon(1e-13));
    CHECK(g[2].item<double>() == 0);
    CHECK(gradient(zeros({2}, kFloat64), p).equal(zeros({2}, kFloat64)));
  }
  CHECK(gradient(x, 0).equal(zeros({4}, kFloat64)));
}

TEST_CASE("the gradient of a power of a number has float64's digits") {
  const Tensor x = tensor({0.3, 1.7}, kFloat64).requires_grad_();
  pow(Scalar(2.1), x).sum().backward();
  CHECK(x.grad()[1].item<double>() == Approx(std::pow(2.1, 1.7) * std::log(2.1)).epsilon(1e-14));
  x.mutable_grad() = Tensor();
  pow(Scalar(2), x).sum().backward();
  CHECK(x.grad()[0].item<double>() == Approx(std::pow(2, 0.3) * std::log(2)).epsilon(1e-14));
  const Tensor y = tensor({0.3, 1.7}, kFloat64).requires_grad_();
  pow(y, 1.0 / 3).sum().backward();
  CHECK(y.grad()[0].item<double>() == Approx(std::pow(0.3, -2.0 / 3) / 3).epsilon(1e-14));
}

TEST_CASE("channels-last images joined are channels-last") {
  const Tensor image = ones({1, 3, 4, 5}).to(MemoryFormat::ChannelsLast);
  CHECK(cat({image, image}, 1).is_contiguous(MemoryFormat::ChannelsLast));
  CHECK(cat({image, ones({1, 3, 4, 5})}, 1).is_contiguous());
}

TEST_CASE("a tensor without dimensions has dimension 0 or -1 and no other") {
  const Tensor x = tensor(2.0);
  CHECK(std::get<0>(x.max(-1)).item<float>() == 2);
  CHECK_THROWS_AS(x.max(1), ShapeError);
  CHECK_THROWS_AS(x.argmin(1), ShapeError);
}

TEST_CASE("what is read may not share some of the memory that is changed") {
  for (const Device device : devices()) {
    Tensor x = of({1, 2, 3, 4}, {2, 2}, device);
    const Tensor flat = x.view({4});
    CHECK_THROWS_WITH(
        flat.slice(0, 1, 4).add_(flat.slice(0, 0, 3)),
        "add: \"other\" shares memory with the tensor that is changed; use its clone()");
    CHECK_THROWS_AS(x.mul_(x.t()), Error);
    CHECK_THROWS_AS(x.sub_(x[0]), Error);
    CHECK_THROWS_AS(flat.slice(0, 0, 3).copy_(flat.slice(0, 1, 4)), Error);
    CHECK_THROWS_WITH(
        x.lerp_(x.t(), 0.5),
        "lerp: \"end\" shares memory with the tensor that is changed; use its clone()");
    CHECK_THROWS_AS(x.lerp_(x, x.t()), Error);
    CHECK_THROWS_AS(x.addcmul_(x.t(), x.t()), Error);
    CHECK_THROWS_AS(x.addcmul_(x, x[0]), Error);
    CHECK_THROWS_AS(x.addcdiv_(x.t(), x), Error);
    CHECK(values(x) == List{1, 2, 3, 4});
    // With gaps, what counts is whether they share an element.
    CHECK_THROWS_AS(x.slice(1, 1, 2).add_(flat.slice(0, 1, 3).view({2, 1})), Error);
    CHECK_THROWS_AS(flat.slice(0, 0, 4, 2).copy_(flat.slice(0, 1, 3)), Error);
    CHECK(values(x) == List{1, 2, 3, 4});
    x.select(1, 0).add_(x.select(1, 1)).sub_(flat.slice(0, 1, 4, 2));  // columns
    CHECK(values(x) == List{1, 2, 3, 4});
    const Tensor wide = of({0, 1, 2, 3, 4, 5, 6, 7, 8}, {3, 3}, device);
    CHECK_THROWS_AS(wide.slice(1, 1, 3).add_(wide.slice(1, 0, 2)), Error);
    CHECK_THROWS_WITH(
        wide.index_put_({indexing::Slice(0, 2)}, wide.slice(0, 1, 3)),
        "index_put_: \"values\" shares memory with the tensor that is changed; use its clone()");
    CHECK(values(wide.fill_(wide[1][1])) == List(9, 4));
    x.add_(x).add_(x.clone().t());                  // all of it, and a copy
    flat.slice(0, 0, 2).add_(flat.slice(0, 2, 4));  // neighbours
    CHECK(values(x) == List{14, 26, 10, 16});
  }
}

TEST_CASE("what an index chooses may share none of the memory that is changed") {
  for (const Device device : devices()) {
    const Tensor x = of({0, 1, 2, 3, 4, 5, 6, 7, 8}, {3, 3}, device);
    const Tensor i = tensor({2, 0, 1}).to(device), wide = i.view({3, 1}).expand({3, 3});
    const std::vector<double> before = values(x);
    CHECK_THROWS_WITH(
        x.index_add_(0, i, x),
        "index_add_: \"source\" shares memory with the tensor that is changed; use its clone()");
    CHECK_THROWS_AS(x.scatter_(0, wide, x), Error);
    CHECK_THROWS_AS(x.scatter_(0, wide, x.t()), Error);
    CHECK_THROWS_AS(x.scatter_add_(0, wide, x), Error);
    CHECK_THROWS_AS(x.index_put_({i}, x.slice(0, 0, 3)), Error);
    CHECK_THROWS_AS(x.index_put_({i}, x[1]), Error);
    CHECK(values(x) == before);
    CHECK_THROWS_AS(i.scatter_(0, i, 1), Error);  // the index itself
    CHECK_THROWS_AS(i.index_add_(0, i, i.clone()), Error);
    CHECK(values(i) == List{2, 0, 1});
    x.slice(0, 0, 1).index_add_(0, tensor({0}).to(device), x.slice(0, 1, 2));  // neighbours
    x.index_put_({i}, x.clone());
    CHECK(values(x) == List{3, 4, 5, 6, 7, 8, 3, 5, 7});
    const Tensor mask = tensor({true, false, false, true}).to(device).view({2, 2});
    CHECK_THROWS_AS(mask.masked_fill_(mask.t(), true), Error);
    CHECK(values(mask.masked_fill_(mask, false)) == List{0, 0, 0, 0});
  }
}

TEST_CASE("the gradient of overwritten values is 0, also where it would be NaN times 0") {
  for (const Device device : devices()) {
    INFO(device);
    const Tensor x = leaf({1, 2}, device);
    const auto gradient = [&](auto change) {
      Tensor y = x * 1;
      change(y);
      x.mutable_grad() = Tensor();
      y.log().sum().backward();  // infinite at 0
      return values(x.grad());
    };
    CHECK(gradient([](Tensor& y) { y.zero_(); }) == List{0, 0});
    CHECK(gradient([](Tensor& y) { y.copy_(zeros_like(y)); }) == List{0, 0});
  }
}

TEST_CASE("a mean over more rows than float16 can count has the right loss and gradients") {
  constexpr std::int64_t kRows = 70000;
  for (const Device device : devices())
    for (const bool recorded : {false, true}) {
      const Tensor x = zeros({kRows, 2}, TensorOptions(kHalf).device(device)).requires_grad_();
      const Tensor target = zeros({kRows}, TensorOptions(kLong).device(device));
      const Tensor loss = cross_entropy_loss(x, target);
      CHECK(loss.item<double>() == Approx(std::log(2)).epsilon(2e-3));
      const Tensor g = autograd::grad({loss}, {x}, {}, recorded, recorded)[0];
      CHECK(g.dtype() == kHalf);
      CHECK(values(g[kRows - 1])[1] == Approx(0.5 / kRows).epsilon(1e-2));  // a subnormal number
      CHECK(values(g[0])[0] == Approx(-0.5 / kRows).epsilon(1e-2));
    }
}

TEST_CASE("softmax, cumsum and their gradients of tensors without elements") {
  for (const Device device : devices()) {
    INFO(device);
    for (const Tensor& empty :
         {zeros({3, 0}, device), zeros({0, 3}, device), zeros({2, 0, 4}, device)})
      for (std::int64_t dim = 0; dim < empty.dim(); ++dim) {
        const Tensor x = empty.detach().requires_grad_();
        for (const Tensor& y : {x.softmax(dim), x.log_softmax(dim), x.cumsum(dim)}) {
          CHECK(y.sizes() == x.sizes());
          y.sum().backward();
          CHECK(x.grad().sizes() == x.sizes());
        }
      }
  }
}

TEST_CASE("gradients flow through pin_memory, and are zeros for an empty batch of batch_norm") {
  const Tensor w = leaf({1, 2}), pinned = w.pin_memory();
  CHECK(pinned.is_pinned());
  (pinned.to(Device("sim:0")) * 3).sum().backward();
  CHECK(values(w.grad()) == List{3, 3});
  for (const Device device : devices()) {
    const Tensor weight = leaf({1, 2}, device), bias = leaf({0, 0}, device);
    const Tensor empty_batch = zeros({0, 2, 3, 3}, device).requires_grad_();
    batch_norm(empty_batch, weight, bias, {}, {}, /*training=*/true, 0.1, 1e-5).sum().backward();
    CHECK(values(weight.grad()) == List{0, 0});
    CHECK(values(bias.grad()) == List{0, 0});
    CHECK(empty_batch.grad().sizes() == IntArrayRef({0, 2, 3, 3}));
  }
}

TEST_CASE("mse_loss of tensors with different sizes writes a warning") {
  const test::CapturedWarnings captured;
  mse_loss(ones({4, 1}), ones({4, 1}));
  CHECK(captured.text().empty());
  mse_loss(ones({4, 1}), ones({4}));
  CHECK(captured.text() ==
        "Warning: mse_loss: \"target\" has sizes [4] but \"input\" has [4, 1]. Both are broadcast, "
        "so the loss is probably not the one that you want; give them the same sizes, for example "
        "with view_as or unsqueeze\n");
}

TEST_CASE("relu, maximum and minimum pass the gradient of NaN on") {
  for (const Device device : devices()) {
    INFO(device);
    const Tensor x = leaf({1, static_cast<float>(nan_value), -1}, device);
    x.relu().sum().backward();
    CHECK(values(x.grad()) == List{1, 1, 0});
    x.mutable_grad().zero_();
    maximum(x, zeros_like(x)).sum().backward();
    CHECK(values(x.grad()) == List{1, 1, 0});
    x.mutable_grad().zero_();
    minimum(x, ones_like(x)).sum().backward();
    CHECK(values(x.grad()) == List{0.5, 1, 1});
  }
}

TEST_CASE("functions with steps have the gradient 0, also where they are infinite or get a NaN") {
  const List zero{0, 0, 0};
  for (const Device device : devices()) {
    INFO(device);
    const Tensor x = leaf({1.5f, -2, 3}, device);
    const Tensor g =
        tensor({nan_value, std::numeric_limits<double>::infinity(), 1.0}, device).to(kFloat32);
    const auto gradient = [&](const Tensor& y) { return values(autograd::grad({y}, {x}, {g})[0]); };
    CHECK(gradient(x.floor()) == zero);
    CHECK(gradient(x.ceil()) == zero);
    CHECK(gradient(x.round()) == zero);
    CHECK(gradient(x.sign()) == zero);
    CHECK(gradient(x.div(2, "floor")) == zero);
    CHECK(gradient(x.div(2, "trunc")) == zero);
  }
}

TEST_CASE("as_strided adds up the gradients of overlapping elements") {
  for (const Device device : devices()) {
    INFO(device);
    const Tensor x = leaf({1, 2, 3, 4}, device);
    x.as_strided({3, 2}, {1, 1}).sum().backward();
    CHECK(values(x.grad()) == List{1, 2, 2, 1});
    x.mutable_grad().zero_();
    x.as_strided({2}, {0}, 1).sum().backward();
    CHECK(values(x.grad()) == List{0, 2, 0, 0});
  }
  CHECK(message<ShapeError>([] { ones({3}).as_strided({2}, {-1}, 1); }) ==
        "as_strided: sizes and strides must not be negative but are [2] and [-1]");
  CHECK(message<ShapeError>([] {
          ones({3, 1}).expand({3, -3});
        }) == "expand: dimension 1 of size 1 cannot become -3; only sizes of 1 expand");
}

TEST_CASE("results of repeat, index and max along a dimension have memory of their own") {
  for (const Device device : devices()) {
    INFO(device);
    Tensor repeated = ones({2, 1}, device).repeat({2, 2});
    CHECK(repeated.strides() == IntArrayRef({2, 1}));
    repeated[0][0].fill_(5);
    CHECK(values(repeated) == List{5, 1, 1, 1, 1, 1, 1, 1});
    const Tensor x = leaf({1, 2, 3, 4}, {2, 2}, device);
    Tensor chosen = x.index({tensor({0, 1}, device)}), largest = std::get<0>(x.max(1));
    chosen.add_(1);
    largest.add_(1);
    CHECK(values(chosen) == List{2, 3, 4, 5});
    CHECK(values(largest) == List{3, 5});
    (chosen.sum() + largest.sum()).backward();
    CHECK(values(x.grad()) == List{1, 2, 1, 2});
  }
}

TEST_CASE("products without columns, and pooling by a window larger than the image") {
  CHECK(ones({3}).matmul(ones({3, 0})).sizes() == IntArrayRef({0}));
  CHECK(ones({2, 2, 3}).matmul(ones({3, 0})).sizes() == IntArrayRef({2, 2, 0}));
  for (const Device device : devices()) {
    INFO(device);
    const Tensor image = leaf({1, 2, 3, 4}, {1, 1, 2, 2}, device);
    CHECK(values(max_pool2d(image, 3, 2, 0, 1, /*ceil_mode=*/true)) == List{4});
    CHECK(values(avg_pool2d(image, 3, 2, 0, /*ceil_mode=*/true)) == List{2.5});
    avg_pool2d(image, 3, 2, 0, true).sum().backward();
    CHECK(values(image.grad()) == List{0.25, 0.25, 0.25, 0.25});
  }
  CHECK_THROWS_AS(max_pool2d(ones({1, 1, 2, 2}), 4, 2, 0, 1, true), ShapeError);
}

TEST_CASE("an integer tensor is divided by a number that its type cannot hold") {
  CHECK(values(tensor({1, 2}, kUInt8) / Scalar(-4)) == List{-0.25, -0.5});
  CHECK(values(tensor({600}, kInt32) / Scalar(3e9)) == List{static_cast<float>(600 / 3e9)});
  CHECK(values(Scalar(512) / tensor({2}, kUInt8)) == List{256});
}

TEST_CASE("a refused index_put_ has not changed the tensor") {
  const Tensor x = leaf({1, 2});
  Tensor y = x.exp();
  CHECK_THROWS_AS(y.index_put_({tensor({0, 1})}, ones({3})), ShapeError);
  y.sum().backward();
  CHECK(x.grad().defined());
}

TEST_CASE("batch_norm of an empty batch stays in the graph") {
  const Tensor x = zeros({0, 2, 3, 3}).requires_grad_();
  CHECK(batch_norm(x, {}, {}, zeros({2}), ones({2}), false, 0.1, 1e-5).requires_grad());
}

TEST_CASE("lerp by a number has all digits of float64 in its gradient") {
  const Tensor x = zeros({1}, kFloat64).requires_grad_();
  x.lerp(ones({1}, kFloat64), 0.3).sum().backward();
  CHECK(values(x.grad()) == List{1 - 0.3});
}

TEST_CASE("a number that a dtype cannot hold is an error, as in libtorch") {
  CHECK_THROWS_WITH(full({2}, 300, kUInt8),
                    Catch::Contains("the number 300 does not fit into uint8; use a wider dtype"));
  const Tensor bytes = tensor({1, 200}, kUInt8);
  CHECK_THROWS_AS(bytes.fill_(-300), DtypeError);
  CHECK_THROWS_AS(bytes.clamp_(nullopt, 300), DtypeError);
  CHECK(bytes._version() == 0);
  CHECK_THROWS_AS(clamp(bytes, nullopt, 300), DtypeError);
  CHECK_THROWS_AS(tensor({1L << 40}, kInt32), DtypeError);
  CHECK_THROWS_AS(full({2}, NAN, kInt64), DtypeError);
  CHECK_THROWS_AS(full({2}, 1e300), DtypeError);
  const Tensor halves = ones({2}, kFloat16);
  CHECK_THROWS_AS(halves.masked_fill(halves.gt(0), -1e9), DtypeError);
  // What fits, wraps or is infinite.
  CHECK(full({1}, -1, kUInt8).item<int>() == 255);
  CHECK(full({1}, -1.0, kUInt8).item<int>() == 255);
  CHECK(full({1}, -2147483648LL, kInt32).item<std::int64_t>() == -2147483648LL);
  CHECK(full({1}, INT64_MIN, kInt64).item<std::int64_t>() == INT64_MIN);
  CHECK(full({1}, 65504, kFloat16).item<double>() == 65504);
  CHECK(std::isinf(full({1}, INFINITY, kFloat16).item<float>()));
  CHECK(std::isnan(full({1}, NAN).item<float>()));
  CHECK((bytes + 300).eq(tensor({45, 244}, kUInt8)).all().item<bool>());  // arithmetic wraps
}

TEST_CASE("errors name the operation that was called, not one that it consists of") {
  for (const Device device : devices()) {
    INFO(device);
    const Tensor leaf = ones({2, 3}, TensorOptions(device).requires_grad(true));
    const auto on_leaf = [&](const std::string& name, const std::function<void()>& work) {
      INFO(name);
      CHECK(message<AutogradError>(work).find(name + ": a leaf that requires a gradient") == 0);
    };
    const auto on_view = [&](const std::string& name, const std::function<void()>& work) {
      INFO(name);
      CHECK(message<AutogradError>(work).find(name + ": a view of a leaf") == 0);
    };
    namespace F = nn::functional;
    on_leaf("dropout_", [&] { F::dropout(leaf, F::DropoutFuncOptions().inplace(true)); });
    on_leaf("dropout_", [&] { nn::Dropout(nn::DropoutOptions(0.5).inplace(true))(leaf); });
    on_leaf("div_", [&] { leaf.div_(2, "floor"); });
    on_leaf("fill_", [&] { leaf.fill_(tensor(2.0f)); });
    on_leaf("zero_", [&] { leaf.zero_(); });
    on_leaf("clamp_min_", [&] { leaf.clamp_min_(0); });
    on_leaf("clamp_max_", [&] { leaf.clamp_max_(0); });
    on_view("index_put_", [&] { leaf.index_put_({0}, ones({3}).to(device)); });
    on_view("index_put_", [&] { leaf.index_put_({0}, ones({3}).to(device), true); });
    const Tensor x = ones({2, 3}, TensorOptions(device));
    CHECK(message<ShapeError>([&] {
            x.index_put_({0}, ones({2}).to(device));
          }).find("index_put_") == 0);
    // In evaluation, or with p = 0, nothing changes.
    CHECK(F::dropout(leaf, F::DropoutFuncOptions().inplace(true).training(false)).is_same(leaf));

    const Tensor five = ones({5}, TensorOptions(device));
    const auto sizes = [&](const std::string& name, const std::function<void()>& work) {
      INFO(name);
      CHECK(message<ShapeError>(work).find(name + ": ") == 0);
    };
    sizes("div", [&] { div(x, five, "floor"); });
    sizes("div", [&] { div(x, five, "trunc"); });
    sizes("masked_fill", [&] { masked_fill(x, five.gt(0), 0); });
    sizes("mse_loss", [&] { mse_loss(x, five); });
    sizes("unbind", [&] { x.unbind(2); });

    const auto later = [&](const std::string& text, const std::function<void()>& work) {
      INFO(text);
      if (device.is_cuda()) return;  // the kernel stops, and with it the process's use of the GPU
      CHECK(message<Error>([&] {
              work();
              synchronize(device);
            }).find(text) != std::string::npos);
    };
    const Tensor classes = tensor({0, 3}).to(device), rows = ones({2}, TensorOptions(device));
    later("one_hot: index 3 is out of range", [&] { one_hot(classes, 3); });
    later("scatter: index 3 is out of range", [&] { scatter(rows, 0, classes, rows); });
    later("scatter: index 3 is out of range", [&] { scatter(rows, 0, classes, 1); });
    later("scatter_add: index 3 is out of range", [&] { scatter_add(rows, 0, classes, rows); });
    later("index_add: index 3 is out of range", [&] { index_add(rows, 0, classes, rows); });
    later("scatter_: index 3 is out of range", [&] { rows.scatter_(0, classes, 1); });
    later("remainder: an integer was divided by 0", [&] { remainder(classes, 0); });
    later("div: an integer was divided by 0", [&] { div(classes, 0, "floor"); });
    later("div: an integer was divided by 0", [&] { div(classes, 0, "trunc"); });
  }
}

TEST_CASE("no argument loses its gradient without a word") {
  for (const Device device : devices()) {
    const Tensor scores = zeros({2, 2}, TensorOptions(device)), classes = tensor({0, 1}).to(device);
    CHECK(
        message<AutogradError>([&] {
          cross_entropy_loss(scores, classes, leaf({1, 2}, device));
        }) ==
        "cross_entropy: \"weight\" requires a gradient, which is not computed; pass its detach()");
    CHECK_THROWS_AS(nll_loss(scores, classes, leaf({1, 2}, device)), AutogradError);
  }
}

TEST_CASE("sums of many 16-bit numbers neither overflow nor stop growing") {
  constexpr std::int64_t kRows = 70000;
  for (const Device device : devices())
    for (const ScalarType type : {kFloat16, kBFloat16}) {
      INFO(device << ' ' << type);
      const TensorOptions options = TensorOptions(type).device(device);
      const auto close = [](const Tensor& got, double wanted) {
        return std::abs(got.cpu().item<double>() - wanted) <= 0.01 * wanted;
      };
      const Tensor index = zeros({kRows}, TensorOptions(kLong).device(device));
      CHECK(close(full({kRows}, 2.0, options).logsumexp(0), 2 + std::log(70000.0)));
      const Tensor table = ones({2, 1}, options).requires_grad_();
      const auto gradient = [&](const Tensor& chosen) {
        return autograd::grad({chosen.sum(kFloat)}, {table},
                              {tensor(0.5f / kRows).to(device)})[0][0];
      };
      CHECK(close(gradient(embedding(table, index)), 0.5));
      CHECK(close(gradient(table.index_select(0, index)), 0.5));
      CHECK(close(gradient(table.index({index})), 0.5));
      CHECK(close(gradient(table.gather(0, index.view({kRows, 1}))), 0.5));
      const Tensor even = full({kRows, 4}, 0.25, options);
      CHECK(close(cross_entropy_loss(zeros({kRows, 4}, options), even), std::log(4.0)));
      const Tensor w = zeros({kRows}, options).requires_grad_();
      w.mutable_grad() = full({kRows}, 300.0, options);
      CHECK(std::abs(nn::utils::clip_grad_norm_(w, 1e9) / (300 * std::sqrt(70000.0)) - 1) < 0.01);
    }
}
