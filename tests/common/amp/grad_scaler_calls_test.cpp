// GradScaler's order of calls: what each call says in each state, and that a scaler that is not
// enabled runs through the same program.
#include "scaled.h"

using namespace td;
using amp::GradScaler;
using amp::GradScalerOptions;

TEST_CASE("defaults are PyTorch's, and the scale is made by the first scale()") {
  for (const Device device : devices()) {
    GradScaler scaler;
    CHECK(scaler.is_enabled());
    CHECK(scaler.get_growth_factor() == 2);
    CHECK(scaler.get_backoff_factor() == 0.5);
    CHECK(scaler.get_growth_interval() == 2000);
    CHECK(scaler.get_scale() == 65536);
    CHECK(scaler.get_growth_tracker() == 0);
    const Tensor scaled = scaler.scale(of({1, -2}, device));
    CHECK(scaled.device() == device);
    CHECK(values(scaled) == std::vector<double>{65536, -131072});
    CHECK(scaler.get_scale() == 65536);
  }
}

TEST_CASE("GradScaler rejects options out of range") {
  CHECK(message<Error>([] { GradScaler(GradScalerOptions().growth_factor(1)); }) ==
        "GradScaler: invalid growth_factor 1; it must be above 1");
  CHECK(message<Error>([] { GradScaler(GradScalerOptions().backoff_factor(1)); }) ==
        "GradScaler: invalid backoff_factor 1; it must be above 0 and below 1");
  CHECK(message<Error>([] { GradScaler(GradScalerOptions().backoff_factor(0)); }) ==
        "GradScaler: invalid backoff_factor 0; it must be above 0 and below 1");
  CHECK(message<Error>([] { GradScaler(GradScalerOptions().growth_interval(0)); }) ==
        "GradScaler: invalid growth_interval 0; it must be 1 or more");
  GradScaler scaler;
  CHECK_THROWS_AS(scaler.set_growth_factor(0.5), Error);
  CHECK_THROWS_AS(scaler.set_backoff_factor(2), Error);
  CHECK_THROWS_AS(scaler.set_growth_interval(-1), Error);
  CHECK(scaler.get_growth_factor() == 2);
  scaler.set_growth_factor(4);
  scaler.set_backoff_factor(0.25);
  scaler.set_growth_interval(10);
  CHECK(scaler.get_growth_factor() == 4);
  CHECK(scaler.get_backoff_factor() == 0.25);
  CHECK(scaler.get_growth_interval() == 10);
}

TEST_CASE("before the first scale() every call says what is missing") {
  Tensor p = leaf({1});
  optim::SGD sgd({p}, 0.1);
  GradScaler scaler;
  const std::string rest =
      ": there is no scale yet; call scale(loss).backward() earlier in the iteration";
  CHECK(message<Error>([&] { scaler.unscale_(sgd); }) == "GradScaler::unscale_" + rest);
  CHECK(message<Error>([&] { scaler.step(sgd); }) == "GradScaler::step" + rest);
  CHECK(message<Error>([&] { scaler.update(); }) == "GradScaler::update" + rest);
  CHECK(message<Error>([&] { scaler.update(4.0); }) == "GradScaler::update" + rest);
  CHECK(message<Error>([&] { scaler.update(ones({})); }) == "GradScaler::update" + rest);
  CHECK(message<Error>([&] { scaler.scale(Tensor()); }) ==
        "GradScaler::scale: \"outputs\" is undefined");
}

TEST_CASE("each call, when the optimizer is ready, unscaled or stepped") {
  const std::string unscaled_twice =
      "GradScaler::unscale_: already called for this optimizer since the last update(); call it "
      "once, after the backward() that completes the gradients";
  const std::string unscaled_late =
      "GradScaler::unscale_: called after step() for this optimizer; call it before step(), and "
      "update() at the end of each iteration";
  const std::string stepped_twice =
      "GradScaler::step: already called for this optimizer since the last update(); call update() "
      "at the end of each iteration, also of one whose step was skipped";
  for (const Device device : devices()) {
    Tensor p = leaf({1, 2}, device);
    optim::SGD sgd({p}, 0.5);
    GradScaler scaler(from_scale(4));
    backward_scaled(scaler, p);
    CHECK(message<Error>([&] { scaler.update(); }) ==
          "GradScaler::update: no inf checks were recorded since the last update(); call "
          "step(optimizer) before it");
    scaler.unscale_(sgd);
    CHECK(values(p.grad()) == std::vector<double>{1, 1});
    CHECK(message<Error>([&] { scaler.unscale_(sgd); }) == unscaled_twice);
    CHECK(values(p.grad()) == std::vector<double>{1, 1});
    CHECK(scaler.step(sgd));
    CHECK(values(p) == std::vector<double>{0.5, 1.5});
    CHECK(message<Error>([&] { scaler.unscale_(sgd); }) == unscaled_late);
    CHECK(message<Error>([&] { scaler.step(sgd); }) == stepped_twice);
    scaler.update();
    CHECK(scaler.get_scale() == 8);
    // All are ready again: an update() after unscale_() alone is in order, too.
    sgd.zero_grad();
    backward_scaled(scaler, p);
    scaler.unscale_(sgd);
    scaler.update();
    CHECK(scaler.get_scale() == 16);
    sgd.zero_grad();
    backward_scaled(scaler, p);
    CHECK(scaler.step(sgd));
    CHECK(values(p) == std::vector<double>{0, 1});
  }
}

TEST_CASE("a forgotten update() is an error at the next step") {  // also when skipped
  for (const float factor : {1.0f, kInf}) {
    Tensor p = leaf({1});
    optim::SGD sgd({p}, 0.5);
    GradScaler scaler(from_scale(4));
    backward_scaled(scaler, p, factor);
    CHECK(scaler.step(sgd) == std::isfinite(factor));
    backward_scaled(scaler, p);
    CHECK_THROWS_AS(scaler.unscale_(sgd), Error);
    CHECK_THROWS_AS(scaler.step(sgd), Error);
  }
}

TEST_CASE("a step without any gradient is an error") {
  Tensor p = leaf({1}), other = leaf({1});
  optim::SGD sgd({p}, 0.1);
  GradScaler scaler;
  backward_scaled(scaler, other);
  CHECK(message<Error>([&] { scaler.step(sgd); }) ==
        "GradScaler::step: no inf checks were recorded for this optimizer, because none of its "
        "parameters has a gradient; call scale(loss).backward() first, with a loss that depends on "
        "them");
}

TEST_CASE("half-precision parameters are an error with the fix, bfloat16 ones are not") {
  for (const Device device : devices()) {
    Tensor p = of({1, 2}, device).to(kHalf).requires_grad_();
    optim::SGD sgd({p}, 0.1);
    GradScaler scaler(from_scale(4));
    backward_scaled(scaler, p);
    CHECK(message<DtypeError>([&] { scaler.unscale_(sgd); }) ==
          "GradScaler::unscale_: attempting to unscale FP16 gradients, of a parameter of size [2]; "
          "dividing would lose what scaling saved. Keep the parameters float32, and let "
          "AutocastGuard choose float16 for the operations");
    Tensor q = of({1, 2}, device).to(kBFloat16).requires_grad_();
    optim::SGD of_q({q}, 0.5);
    backward_scaled(scaler, q);
    CHECK(scaler.step(of_q));
    CHECK(values(q) == std::vector<double>{0.5, 1.5});
  }
}

TEST_CASE("a closure is an error while the scaler is enabled") {
  Tensor p = leaf({1});
  optim::SGD sgd({p}, 0.5);
  const auto closure = [&] {
    sgd.zero_grad();
    Tensor loss = p.sum();
    loss.backward();
    return loss;
  };
  GradScaler scaler;
  backward_scaled(scaler, p);
  CHECK(message<Error>([&] { scaler.step(sgd, closure); }) ==
        "GradScaler::step: a closure cannot be used while the scaler is enabled, because it would "
        "make new gradients after those that were unscaled; call scale(loss).backward() before "
        "step(optimizer)");
  GradScaler off(GradScalerOptions().enabled(false));
  CHECK(off.step(sgd, closure));
  CHECK(values(p) == std::vector<double>{0.5});
}

TEST_CASE("a scaler that is not enabled runs through the same program") {
  Tensor p = leaf({1, 2}), control = leaf({1, 2});
  optim::SGD sgd({p}, 0.5), plain({control}, 0.5);
  GradScaler off(GradScalerOptions().enabled(false));
  CHECK_FALSE(off.is_enabled());
  for (int i = 0; i < 3; ++i) {
    sgd.zero_grad();
    plain.zero_grad();
    const Tensor loss = (p * p).sum();
    CHECK(off.scale(loss).is_same(loss));
    CHECK(off.scale(TensorList{loss, p})[1].is_same(p));
    loss.backward();
    (control * control).sum().backward();
    off.unscale_(sgd);
    CHECK(values(p.grad()) == values(control.grad()));
    CHECK(off.step(sgd));
    plain.step();
    off.update();
    off.update(2.0);
    off.update(ones({}));
    CHECK(values(p) == values(control));
  }
  CHECK(off.get_scale() == 1);
  CHECK(off.get_growth_tracker() == 0);
  CHECK(off.found_inf(sgd).empty());
}

TEST_CASE("lists are scaled element by element, each on its device") {
  GradScaler scaler(from_scale(4));
  const TensorList scaled = scaler.scale(TensorList{of({1}, "sim:0"), of({2}, "sim:1"), of({3})});
  REQUIRE(scaled.size() == 3);
  CHECK(scaled[0].device() == Device("sim:0"));
  CHECK(scaled[1].device() == Device("sim:1"));
  CHECK(scaled[2].device() == Device("cpu"));
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(values(scaled[i]) == std::vector<double>{4.0 * static_cast<double>(i + 1)});
}
