// GradScaler::step_on_device: no wait, and bitwise the same parameters as step().
#include <memory>

#include "scaled.h"
#include "sim_work.h"
#include "td/device/record.h"

using namespace td;
using amp::GradScaler;
using amp::GradScalerOptions;

namespace {

using MakeOptimizer = std::unique_ptr<optim::Optimizer> (*)(const TensorList&);

std::unique_ptr<optim::Optimizer> sgd(const TensorList& params) {
  return std::make_unique<optim::SGD>(
      params, optim::SGDOptions(0.25).momentum(0.5).dampening(0.25).capturable(true));
}
std::unique_ptr<optim::Optimizer> adam(const TensorList& params) {
  return std::make_unique<optim::Adam>(params, optim::AdamOptions(0.01).capturable(true));
}
std::unique_ptr<optim::Optimizer> adamw(const TensorList& params) {
  return std::make_unique<optim::AdamW>(params, optim::AdamWOptions(0.01).capturable(true));
}

// A loss whose gradients differ from step to step.
Tensor loss_of(const TensorList& params, float factor) {
  return ((params[0] * params[0]).sum() + (params[1] * 3).sum()) * factor;
}

}  // namespace

TEST_CASE("step_on_device makes the steps of step(), divided by hand or by the kernel") {
  for (const Device device : devices())
    for (const MakeOptimizer make : {sgd, adam, adamw})
      for (const bool unscale_first : {false, true}) {
        const TensorList a{leaf({1, -2, 3}, device), leaf({4, 5}, device)};
        const TensorList b{leaf({1, -2, 3}, device), leaf({4, 5}, device)};
        const auto waiting = make(a), deciding = make(b);
        GradScaler first(from_scale(3, 2)), second(from_scale(3, 2));  // 1 / 3 is rounded
        for (int i = 0; i < 8; ++i) {
          const float factor = i == 0 || i == 5 ? kInf : 0.25f * static_cast<float>(i + 1);
          waiting->zero_grad();
          deciding->zero_grad();
          first.scale(loss_of(a, factor)).backward();
          second.scale(loss_of(b, factor)).backward();
          if (unscale_first) second.unscale_(*deciding);
          const bool stepped = first.step(*waiting);
          CHECK(stepped == std::isfinite(factor));
          second.step_on_device(*deciding);
          CHECK(second.found_inf(*deciding)[0].item<float>() == (stepped ? 0 : 1));
          first.update();
          second.update();
          CHECK(first.get_scale() == second.get_scale());
        }
        for (std::size_t k = 0; k < 2; ++k) CHECK(values(a[k]) == values(b[k]));
      }
}

TEST_CASE("step_on_device leaves the gradients as they are") {
  for (const Device device : devices()) {
    Tensor p = leaf({1, 2}, device);
    const auto optimizer = sgd({p});
    GradScaler scaler(from_scale(4));
    backward_scaled(scaler, p, 3);
    scaler.step_on_device(*optimizer);
    CHECK(values(p.grad()) == std::vector<double>{12, 12});
    CHECK(values(p) == std::vector<double>{0.25, 1.25});
  }
}

TEST_CASE("an iteration with step_on_device waits for nothing") {
  const Device device("sim:0");
  Tensor p = leaf({1, 2}, device);
  const auto optimizer = sgd({p});
  GradScaler scaler(from_scale(4));
  const auto iterate = [&](float factor) {
    optimizer->zero_grad();
    backward_scaled(scaler, p, factor);
    scaler.step_on_device(*optimizer);
    scaler.update();
  };
  {
    test::Gate gate;  // the test hangs if something waits
    gate.hold(getCurrentStream(device));
    gate.wait_until_held();
    iterate(1);
    iterate(kInf);
  }
  CHECK(values(p) == std::vector<double>{0.75, 1.75});
  CHECK(scaler.get_scale() == 4);
}

TEST_CASE("step_on_device keeps the order of calls, and asks for a capturable optimizer") {
  Tensor p = leaf({1}), q = leaf({1});
  const auto optimizer = adam({p});
  optim::Adam plain({q}, 0.1);
  GradScaler scaler(from_scale(4));
  CHECK(message<Error>([&] { scaler.step_on_device(*optimizer); }) ==
        "GradScaler::step_on_device: there is no scale yet; call scale(loss).backward() earlier in "
        "the iteration");
  backward_scaled(scaler, q);
  CHECK(message<Error>([&] { scaler.step_on_device(*optimizer); }) ==
        "GradScaler::step_on_device: no inf checks were recorded for this optimizer, because none "
        "of its parameters has a gradient; call scale(loss).backward() first, with a loss that "
        "depends on them");
  CHECK(message<Error>([&] { scaler.step_on_device(plain); }) ==
        "optimizer: this step is decided in device memory, but the learning rate or the count of "
        "steps is kept on the host; make the optimizer with capturable(true) in its options");
  backward_scaled(scaler, p);
  scaler.step_on_device(*optimizer);
  CHECK(message<Error>([&] { scaler.step_on_device(*optimizer); }) ==
        "GradScaler::step_on_device: already called for this optimizer since the last update(); "
        "call update() at the end of each iteration, also of one whose step was skipped");
  CHECK_THROWS_AS(scaler.step(*optimizer), Error);
  CHECK_THROWS_AS(scaler.unscale_(*optimizer), Error);
  scaler.update();
  GradScaler off(GradScalerOptions().enabled(false));
  const double before = values(q)[0];
  off.step_on_device(plain);  // passes through, so that a program needs no second way
  CHECK(values(q)[0] < before);
}

TEST_CASE("a capturable optimizer with parameters on several devices skips on all of them") {
  for (const float factor : {1.0f, kInf}) {
    Tensor a = leaf({1}, "sim:0"), b = leaf({2}, "sim:1"), c = leaf({3});
    const auto optimizer = sgd({a, b, c});
    GradScaler scaler(from_scale(4));
    backward_scaled(scaler, a);
    backward_scaled(scaler, b, factor);
    backward_scaled(scaler, c);
    scaler.step_on_device(*optimizer);
    const double change = factor == 1 ? 0.25 : 0;
    CHECK(values(a) == std::vector<double>{1 - change});
    CHECK(values(b) == std::vector<double>{2 - change});
    CHECK(values(c) == std::vector<double>{3 - change});
  }
}

TEST_CASE("parameters that are half precision themselves can be stepped on, divided in float") {
  for (const Device device : devices()) {
    Tensor p = of({1, 2}, device).to(kHalf).requires_grad_();
    const auto optimizer = sgd({p});
    GradScaler scaler(from_scale(4));
    backward_scaled(scaler, p);
    scaler.step_on_device(*optimizer);
    CHECK(values(p) == std::vector<double>{0.75, 1.75});
  }
}
