// unscale_: against loops in double, for all types, sizes and memory orders; how many launches it
// takes; that it waits for nothing; several devices.
#include <cstring>

#include "amp/unscale_kernels.h"
#include "scaled.h"
#include "sim_work.h"
#include "td/device/record.h"

using namespace td;
using amp::GradScaler;

namespace {

// A parameter of zeros whose gradient is `gradient`.
Tensor with_gradient(const Tensor& gradient) {
  Tensor p = zeros_like(gradient).requires_grad_();
  p.mutable_grad() = gradient;
  return p;
}
float found_inf(const GradScaler& scaler, const optim::Optimizer& optimizer) {
  const TensorList found = scaler.found_inf(optimizer);
  REQUIRE(found.size() == 1);
  CHECK(found[0].dtype() == kFloat);
  return found[0].item<float>();
}

int launches = 0;
void count_launches(const Record&, Device) { ++launches; }

}  // namespace

TEST_CASE("unscale_ divides by the scale, in every type and size") {
  for (const Device device : devices())
    for (const ScalarType type : {kFloat, kDouble, kBFloat16})
      for (const double scale : {65536.0, 3.0, 1.0, 0.1}) {
        TensorList params;
        std::vector<std::vector<double>> wanted;
        // More parameters than a launch holds, one with more elements than a thread takes.
        for (std::size_t n = 0; n < 70; ++n) {
          std::vector<float> from(n == 5 ? 150000 : n);
          for (std::size_t i = 0; i < from.size(); ++i)
            from[i] = 0.25f * static_cast<float>(i % 9) - 1;
          const Tensor gradient = of(from, device).to(type);
          wanted.push_back(values(gradient));
          params.push_back(with_gradient(gradient));
        }
        const double factor = static_cast<float>(1 / static_cast<double>(float(scale)));
        optim::SGD sgd(params, 0.1);
        GradScaler scaler(from_scale(scale));
        scaler.scale(ones({}, TensorOptions(device)));
        scaler.unscale_(sgd);
        CHECK(found_inf(scaler, sgd) == 0);
        const double precision = type == kBFloat16 ? 1.0 / 256 : type == kFloat ? 1e-7 : 1e-15;
        for (std::size_t n = 0; n < params.size(); ++n) {
          const std::vector<double> actual = values(params[n].grad());
          for (std::size_t i = 0; i < actual.size(); ++i) {
            const double expected = wanted[n][i] * factor;
            if (!(std::abs(actual[i] - expected) <= precision * std::abs(expected)))
              FAIL(device << ' ' << type << " scale " << scale << " parameter " << n << " element "
                          << i << ": " << actual[i] << " instead of " << expected);
          }
        }
      }
}

TEST_CASE("one infinity or NaN anywhere is found, whatever the scale") {
  for (const Device device : devices())
    for (const ScalarType type : {kFloat, kDouble, kBFloat16})
      for (const float bad : {kInf, -kInf, kNaN})
        for (const double scale : {1.0, 1024.0})
          for (const std::int64_t place : {0, 31, 32, 1022}) {
            TensorList params;
            for (int k = 0; k < 3; ++k)
              params.push_back(with_gradient(ones({1023}).to(device, type)));
            params[1].grad()[place].fill_(bad);
            optim::SGD sgd(params, 0.1);
            GradScaler scaler(from_scale(scale));
            scaler.scale(ones({}, TensorOptions(device)));
            scaler.unscale_(sgd);
            INFO(device << ' ' << type << ' ' << bad << " at " << place << ", scale " << scale);
            CHECK(found_inf(scaler, sgd) == 1);
            CHECK_FALSE(scaler.step(sgd));
            CHECK(values(params[0])[0] == 0);
            // The gradients of a skipped step are divided nevertheless.
            CHECK(values(params[0].grad())[0] == 1 / scale);
          }
}

TEST_CASE("the largest finite gradients do not count as overflow") {
  const float largest = std::numeric_limits<float>::max();
  for (const Device device : devices()) {
    Tensor p = with_gradient(of({largest, -largest, 0, 1e-45f}, device));
    optim::SGD sgd({p}, 0.1);
    GradScaler scaler(from_scale(2));
    scaler.scale(ones({}, TensorOptions(device)));
    scaler.unscale_(sgd);
    CHECK(found_inf(scaler, sgd) == 0);
    CHECK(values(p.grad())[0] == largest / 2);
  }
}

TEST_CASE("the kernel takes float16, and with no scale it only looks") {
  for (const Device device : devices()) {
    const Tensor halves = of({2, -65504}, device).to(kHalf),
                 found = zeros({}, TensorOptions(device));
    const Tensor scale = full({}, 2.0, TensorOptions(device));
    const Tensor* list[] = {&halves};
    kernels::unscale(list, 1, found, &scale);
    CHECK(values(halves) == std::vector<double>{1, -32752});
    CHECK(found.item<float>() == 0);
    halves[1].fill_(kInf);
    kernels::unscale(list, 1, found, nullptr);
    CHECK(values(halves) == std::vector<double>{1, kInf});
    CHECK(found.item<float>() == 1);
  }
}

TEST_CASE("gradients in other memory formats, and non-contiguous gradients") {
  for (const Device device : devices()) {
    std::vector<float> numbers(12);
    for (std::size_t i = 0; i < 12; ++i) numbers[i] = static_cast<float>(i);
    const Tensor whole = of(numbers, {3, 4}, device);
    const Tensor turned = whole.clone().t(), gaps = whole.clone().slice(1, 0, 4, 2);
    TensorList params{with_gradient(turned), with_gradient(gaps), with_gradient(whole.clone())};
    std::vector<std::vector<double>> wanted;
    for (const Tensor& p : params) {
      wanted.push_back(values(p.grad()));
      for (double& value : wanted.back()) value /= 4;
    }
    optim::SGD sgd(params, 0.1);
    GradScaler scaler(from_scale(4));
    scaler.scale(ones({}, TensorOptions(device)));
    scaler.unscale_(sgd);
    for (std::size_t k = 0; k < params.size(); ++k) CHECK(values(params[k].grad()) == wanted[k]);
    CHECK(params[1].grad().strides() == gaps.strides());
  }
}

TEST_CASE("gradients of several types in one optimizer are unscaled, each in its own type") {
  for (const Device device : devices()) {
    TensorList params;
    for (const ScalarType type : {kFloat, kDouble, kFloat, kBFloat16})
      params.push_back(with_gradient(ones({3}).to(device, type)));
    params.push_back(
        zeros({2}, TensorOptions(device)).requires_grad_());  // no gradient: passed over
    optim::SGD sgd(params, 0.1);
    GradScaler scaler(from_scale(8));
    scaler.scale(ones({}, TensorOptions(device)));
    scaler.unscale_(sgd);
    for (std::size_t k = 0; k < 4; ++k) {
      CHECK(values(params[k].grad()) == std::vector<double>(3, 0.125));
      CHECK(params[k].grad().dtype() == params[k].dtype());
    }
    CHECK_FALSE(params[4].grad().defined());
    CHECK(found_inf(scaler, sgd) == 0);
  }
}

TEST_CASE("launches: 62 gradients together, and one more for the update") {
  const Device device("sim:0");
  for (const auto& [count, wanted] : {std::pair(62, 2), std::pair(63, 3)}) {
    TensorList params;
    for (int k = 0; k < count; ++k)
      params.push_back(with_gradient(ones({3}, TensorOptions(device))));
    optim::SGD sgd(params, 0.1);
    GradScaler scaler;
    scaler.scale(ones({}, TensorOptions(device)));
    launches = 0;
    const RecordObserver counting(count_launches);
    scaler.unscale_(sgd);
    CHECK(launches == wanted);  // found_inf = 0, and a pass over the gradients
    scaler.update();
    CHECK(launches == wanted + 1);
  }
}

TEST_CASE("scale, unscale_ and update do not wait for the device") {
  const Device device("sim:0");
  Tensor p = leaf({1, 2, 3}, device);
  optim::SGD sgd({p}, 0.5);
  GradScaler scaler(from_scale(4));
  for (int i = 0; i < 2; ++i) {  // the first time makes the scale
    sgd.zero_grad();
    test::Gate gate;  // the test hangs if one of them waits
    gate.hold(getCurrentStream(device));
    gate.wait_until_held();
    backward_scaled(scaler, p, 3);
    scaler.unscale_(sgd);
    scaler.update();
  }
  CHECK(values(p.grad()) == std::vector<double>{3, 3, 3});
  CHECK(scaler.get_scale() == 16);
}

TEST_CASE("gradients on several devices: an overflow on one device skips the step") {
  for (const bool overflow : {false, true}) {
    Tensor a = leaf({1}, "sim:0"), b = leaf({2}, "sim:1"), c = leaf({3}, "cpu");
    optim::SGD sgd({a, b, c}, 0.5);
    GradScaler scaler(from_scale(4));
    backward_scaled(scaler, a);
    backward_scaled(scaler, b, overflow ? kInf : 1);
    backward_scaled(scaler, c);
    CHECK(scaler.step(sgd) == !overflow);
    const TensorList found = scaler.found_inf(sgd);
    REQUIRE(found.size() == 3);
    for (std::size_t k = 0; k < 3; ++k) {
      CHECK(found[k].device() == sgd.parameters()[k].device());
      CHECK(found[k].item<float>() == (overflow && k == 1 ? 1 : 0));
    }
    CHECK(values(a) == std::vector<double>{overflow ? 1.0 : 0.5});
    CHECK(values(c) == std::vector<double>{overflow ? 3.0 : 2.5});
    scaler.update();
    CHECK(scaler.get_scale() == (overflow ? 2 : 8));
  }
}
