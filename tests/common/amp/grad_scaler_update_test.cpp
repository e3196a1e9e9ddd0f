// How the scale grows and backs off, against a model in double precision; its limits; its state.
#include <random>

#include "io/checkpoint.h"
#include "scaled.h"

using namespace td;
using amp::GradScaler;
using amp::GradScalerOptions;

namespace {

// The rule of the documentation of torch.amp.GradScaler.
struct Model {
  double scale, growth, backoff;
  std::int64_t interval, finite_steps = 0;

  void update(bool overflow) {
    if (overflow) {
      scale = static_cast<float>(scale * backoff);
      finite_steps = 0;
    } else if (++finite_steps == interval) {
      const double grown = scale * growth;
      if (grown <= std::numeric_limits<float>::max()) scale = static_cast<float>(grown);
      finite_steps = 0;
    }
  }
};

// One iteration whose gradients overflow or not.
bool iterate(GradScaler& scaler, optim::Optimizer& optimizer, const Tensor& p, bool overflow) {
  optimizer.zero_grad();
  backward_scaled(scaler, p, overflow ? kInf : 0);
  const bool stepped = scaler.step(optimizer);
  scaler.update();
  return stepped;
}

}  // namespace

TEST_CASE("the scale is that of a reference model for random overflows") {
  std::mt19937 random(7);
  for (const Device device : devices())
    for (const auto& [growth, backoff, interval] :
         {std::tuple(2.0, 0.5, 1), std::tuple(2.0, 0.25, 2), std::tuple(1.7, 0.3, 3)}) {
      Tensor p = leaf({1, 2, 3}, device);
      optim::SGD sgd({p}, 0.1);
      GradScaler scaler(from_scale(4, interval).growth_factor(growth).backoff_factor(backoff));
      Model model{4, growth, backoff, interval};
      for (int i = 0; i < 40; ++i) {
        const bool overflow = random() % 3 == 0;
        CHECK(iterate(scaler, sgd, p, overflow) == !overflow);
        model.update(overflow);
        CHECK(scaler.get_scale() == model.scale);
        CHECK(scaler.get_growth_tracker() == model.finite_steps);
      }
    }
}

TEST_CASE("4, 4, 8, 2: growth 2, backoff 1/4, interval 2") {
  Tensor p = leaf({1});
  optim::SGD sgd({p}, 0.1);
  GradScaler scaler(from_scale(4, 2).backoff_factor(0.25));
  std::vector<double> scales;
  for (const bool overflow : {false, false, true}) {
    iterate(scaler, sgd, p, overflow);
    scales.push_back(scaler.get_scale());
  }
  CHECK(scales == std::vector<double>{4, 8, 2});
}

TEST_CASE("the scale does not grow beyond the largest float") {
  for (const Device device : devices()) {
    Tensor p = leaf({1}, device);
    optim::SGD sgd({p}, 0.1);
    GradScaler scaler(from_scale(1e38, 1).growth_factor(16));
    CHECK(iterate(scaler, sgd, p, false));
    CHECK(scaler.get_scale() == 1e38f);
    CHECK(scaler.get_growth_tracker() == 0);
  }
}

TEST_CASE("an interval set below the count stops growth until the next overflow") {
  Tensor p = leaf({1});
  optim::SGD sgd({p}, 0.1);
  GradScaler scaler(from_scale(4, 100));
  for (int i = 0; i < 5; ++i) iterate(scaler, sgd, p, false);
  scaler.set_growth_interval(3);
  for (int i = 0; i < 10; ++i) iterate(scaler, sgd, p, false);
  CHECK(scaler.get_scale() == 4);
  CHECK(scaler.get_growth_tracker() == 15);
  iterate(scaler, sgd, p, true);
  CHECK(scaler.get_scale() == 2);
  for (int i = 0; i < 3; ++i) iterate(scaler, sgd, p, false);
  CHECK(scaler.get_scale() == 4);
}

TEST_CASE("the scale has no lower bound, and 0 is never left") {
  for (const Device device : devices()) {
    Tensor p = leaf({1}, device);
    optim::SGD sgd({p}, 0.1);
    GradScaler scaler(from_scale(1, 1).backoff_factor(1e-30));
    CHECK_FALSE(iterate(scaler, sgd, p, true));
    CHECK(scaler.get_scale() == 1e-30f);
    CHECK_FALSE(iterate(scaler, sgd, p, true));
    CHECK(scaler.get_scale() == 0);
    for (int i = 0; i < 3; ++i) {  // 1 / 0 is infinite, 0 * infinity is NaN, and 2 * 0 is 0
      sgd.zero_grad();
      backward_scaled(scaler, p);
      scaler.step(sgd);
      scaler.update();
      CHECK(scaler.get_scale() == 0);
      CHECK(std::isnan(values(p)[0]));
    }
  }
}

TEST_CASE("at the scale's limit one step in growth_interval + 1 is skipped, permanently") {
  for (const Device device : devices()) {
    Tensor p = leaf({0}, device);
    optim::SGD sgd({p}, optim::SGDOptions(std::ldexp(1, -119)));
    GradScaler scaler(from_scale(256, /*growth_interval=*/4));
    std::vector<int> skipped;
    for (int step = 0; step < 20; ++step) {
      sgd.zero_grad();
      // 256 times this is the largest power of two in float32, and 512 times this is infinite.
      backward_scaled(scaler, p, std::ldexp(1.0f, 119));
      if (!scaler.step(sgd)) skipped.push_back(step);
      scaler.update();
      CHECK(scaler.get_scale() == (step % 5 == 3 ? 512 : 256));
    }
    CHECK(skipped == std::vector<int>{4, 9, 14, 19});
    CHECK(values(p) == std::vector<double>{-16});  // all others made their step
  }
}

TEST_CASE("update(new_scale) sets the scale and does not reset the count") {
  for (const Device device : devices()) {
    Tensor p = leaf({1}, device);
    optim::SGD sgd({p}, 0.1);
    GradScaler scaler(from_scale(4, 10));
    iterate(scaler, sgd, p, false);
    backward_scaled(scaler, p);
    scaler.step(sgd);
    scaler.update(3.0);
    CHECK(scaler.get_scale() == 3);
    CHECK(scaler.get_growth_tracker() == 1);
    scaler.update(of({5}, device));
    CHECK(scaler.get_scale() == 5);
    scaler.update(full({}, 6.0));  // from the host to wherever the scale is
    CHECK(scaler.get_scale() == 6);
    const std::string refused =
        "GradScaler::update: \"new_scale\" must be a number, or a float32 tensor of one element "
        "that does not require grad";
    CHECK(message<Error>([&] { scaler.update(of({1, 2})); }) == refused);
    CHECK(message<Error>([&] { scaler.update(Tensor()); }) == refused);
    CHECK(message<Error>([&] { scaler.update(full({}, 2.0, kDouble)); }) == refused);
    CHECK(message<Error>([&] { scaler.update(leaf({1})); }) == refused);
    CHECK(scaler.get_scale() == 6);
  }
}

TEST_CASE("a graph that holds the scale notices its update") {
  Tensor p = leaf({1});
  optim::SGD sgd({p}, 0.1);
  GradScaler scaler(from_scale(4));
  const Tensor loss = scaler.scale((p * 1).sum());
  loss.backward({}, /*retain_graph=*/true);
  scaler.step(sgd);
  scaler.update();
  CHECK_THROWS_AS(loss.backward(), AutogradError);
}

TEST_CASE("a scaler's state can be loaded before and after the first scale") {
  for (const Device device : devices())
    for (const bool late : {false, true}) {
      Tensor p = leaf({1}, device);
      optim::SGD sgd({p}, 0.1);
      GradScaler from(from_scale(4, 3).growth_factor(3).backoff_factor(0.125));
      CHECK(from.state_dict()["scale"].item<double>() == 4);
      for (const bool overflow : {true, false, false}) iterate(from, sgd, p, overflow);
      const amp::StateDict state = from.state_dict();
      GradScaler to;
      if (late) to.scale(ones({}, TensorOptions(device)));
      to.load_state_dict(state);
      CHECK(to.get_scale() == 0.5);
      CHECK(to.get_growth_tracker() == 2);
      CHECK(to.get_growth_factor() == 3);
      CHECK(to.get_backoff_factor() == 0.125);
      CHECK(to.get_growth_interval() == 3);
      iterate(to, sgd, p, false);
      CHECK(to.get_scale() == 1.5);
      CHECK(to.get_growth_tracker() == 0);
    }
}

TEST_CASE("states of scalers that are not enabled, and states that do not fit") {
  GradScaler scaler(from_scale(4)), off(GradScalerOptions().enabled(false));
  CHECK(off.state_dict().is_empty());
  CHECK(message<Error>([&] { scaler.load_state_dict(off.state_dict()); }) ==
        "load_state_dict: the state is empty, as that of a GradScaler that was not enabled is; "
        "save it from an enabled one, or load it into one with enabled(false)");
  off.load_state_dict(off.state_dict());
  off.load_state_dict(scaler.state_dict());
  CHECK(off.get_scale() == 1);
  amp::StateDict state = scaler.state_dict();
  state["scale"] = full({}, 8.0, kDouble);
  state["_growth_tracker"] = full({}, -1, kLong);
  CHECK(message<Error>([&] { scaler.load_state_dict(state); }) ==
        "load_state_dict: \"_growth_tracker\" is -1 in the state; expected a number of steps, 0 or "
        "more");
  state["_growth_tracker"] = full({}, 1, kLong);
  state["growth_factor"] = ones({2});
  CHECK(message<Error>([&] { scaler.load_state_dict(state); }) ==
        "load_state_dict: \"growth_factor\" is float32 [2] in the state; expected one float64");
  CHECK(scaler.get_scale() == 4);           // nothing was changed
  static_assert(io::Stateful<GradScaler>);  // so it can be a part of a checkpoint
}
