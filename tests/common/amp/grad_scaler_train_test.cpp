// Training under a GradScaler against the same training without one: skipped steps, accumulation,
// clipping, several models and optimizers, a gradient penalty.
#include <memory>

#include "scaled.h"
#include "td/nn/nn.h"

using namespace td;
using amp::GradScaler;

namespace {

using MakeOptimizer = std::unique_ptr<optim::Optimizer> (*)(const TensorList&);

std::unique_ptr<optim::Optimizer> sgd(const TensorList& params) {
  return std::make_unique<optim::SGD>(params, optim::SGDOptions(0.25).momentum(0.5));
}
std::unique_ptr<optim::Optimizer> adam(const TensorList& params) {
  return std::make_unique<optim::Adam>(params, optim::AdamOptions(0.01));
}
std::unique_ptr<optim::Optimizer> adamw(const TensorList& params) {
  return std::make_unique<optim::AdamW>(params, optim::AdamWOptions(0.01));
}

struct Network {
  nn::Sequential net{nn::Linear(4, 8), nn::Tanh(), nn::Linear(8, 3)};
  Tensor x, y;

  explicit Network(Device device, std::uint64_t seed = 3) {
    manual_seed(seed);
    net = nn::Sequential(nn::Linear(4, 8), nn::Tanh(), nn::Linear(8, 3));
    x = randn({16, 4});
    y = randn({16, 3});
    net->to(device);
    x = x.to(device);
    y = y.to(device);
  }
  Tensor loss() { return mse_loss(net->forward(x), y); }
  // Some rows of the batch.
  Tensor loss(std::int64_t from, std::int64_t rows) {
    return mse_loss(net->forward(x.narrow(0, from, rows)), y.narrow(0, from, rows));
  }
  TensorList params() { return net->parameters(); }
};

// Scales are powers of two, so that scaling and unscaling lose nothing.
void check_same(Network& a, Network& b) {
  const TensorList left = a.params(), right = b.params();
  for (std::size_t k = 0; k < left.size(); ++k) CHECK(values(left[k]) == values(right[k]));
}

}  // namespace

TEST_CASE("steps with overflow are skipped, all others are those without a scaler") {
  for (const Device device : devices())
    for (const MakeOptimizer make : {sgd, adam, adamw})
      for (const bool unscale_first : {false, true}) {
        Network scaled(device), control(device);
        const auto optimizer = make(scaled.params()), plain = make(control.params());
        GradScaler scaler(from_scale(128));
        int skipped = 0, made = 0;
        for (int i = 0; i < 8; ++i) {
          optimizer->zero_grad();
          plain->zero_grad();
          scaler.scale(scaled.loss()).backward();
          control.loss().backward();
          const bool overflow = i == 0 || i == 3;
          if (overflow) scaled.params()[1].grad()[2].fill_(i ? kInf : kNaN);
          if (unscale_first) scaler.unscale_(*optimizer);
          CHECK(scaler.step(*optimizer) == !overflow);
          if (!overflow) plain->step();
          scaler.update();
          ++(overflow ? skipped : made);
        }
        check_same(scaled, control);
        CHECK(scaler.get_scale() == 128 * std::pow(2, made) * std::pow(0.5, skipped));
      }
}

TEST_CASE("a NaN that is written after unscale_ is not noticed") {
  Network network(kCPU);
  const auto optimizer = sgd(network.params());
  GradScaler scaler(from_scale(4));
  scaler.scale(network.loss()).backward();
  scaler.unscale_(*optimizer);
  network.params()[0].grad()[0].fill_(kNaN);
  CHECK(scaler.step(*optimizer));
  CHECK(std::isnan(values(network.params()[0])[0]));
}

TEST_CASE("several losses accumulate under one scale before a step") {
  for (const Device device : devices()) {
    Network scaled(device), control(device);
    const auto optimizer = adam(scaled.params()), plain = adam(control.params());
    GradScaler scaler(from_scale(128));
    for (int i = 0; i < 3; ++i) {
      optimizer->zero_grad();
      plain->zero_grad();
      for (int part = 0; part < 4; ++part) {
        scaler.scale(scaled.loss(4 * part, 4) / 4).backward();
        (control.loss(4 * part, 4) / 4).backward();
      }
      CHECK(scaler.step(*optimizer));
      plain->step();
      scaler.update();
    }
    check_same(scaled, control);
    CHECK(scaler.get_scale() == 1024);
  }
}

TEST_CASE("clipping after unscale_, or by max_norm times the scale without it") {
  const double max_norm = 0.125;
  for (const Device device : devices())
    for (const bool unscale_first : {false, true}) {
      Network scaled(device), control(device);
      const auto optimizer = sgd(scaled.params()), plain = sgd(control.params());
      GradScaler scaler(from_scale(128));
      for (int i = 0; i < 4; ++i) {
        optimizer->zero_grad();
        plain->zero_grad();
        scaler.scale(scaled.loss()).backward();
        control.loss().backward();
        if (unscale_first) scaler.unscale_(*optimizer);
        const double scale = unscale_first ? 1 : scaler.get_scale();
        const double norm = nn::utils::clip_grad_norm_(scaled.params(), max_norm * scale);
        CHECK(norm > max_norm * scale);  // there is something to clip
        nn::utils::clip_grad_norm_(control.params(), max_norm);
        CHECK(scaler.step(*optimizer));
        plain->step();
        scaler.update();
      }
      const TensorList left = scaled.params(), right = control.params();
      for (std::size_t k = 0; k < left.size(); ++k) CHECK(allclose(left[k], right[k], 1e-5, 1e-6));
    }
}

TEST_CASE("clipping an overflow leaves it to be found") {
  Network network(kCPU);
  const auto optimizer = sgd(network.params());
  GradScaler scaler(from_scale(128));
  const std::vector<double> before = values(network.params()[0]);
  scaler.scale(network.loss()).backward();
  network.params()[1].grad()[0].fill_(kInf);
  scaler.unscale_(*optimizer);
  CHECK(std::isinf(nn::utils::clip_grad_norm_(network.params(), 1.0)));
  CHECK_FALSE(scaler.step(*optimizer));
  CHECK(values(network.params()[0]) == before);
}

TEST_CASE("two models, two optimizers: overflow skips the one, update() backs off for both") {
  for (const Device device : devices()) {
    Network a(device, 3), b(device, 4), control_a(device, 3), control_b(device, 4);
    const auto of_a = sgd(a.params()), of_b = adam(b.params());
    const auto plain_a = sgd(control_a.params()), plain_b = adam(control_b.params());
    GradScaler scaler(from_scale(128));
    for (int i = 0; i < 6; ++i) {
      for (auto* optimizer : {of_a.get(), of_b.get(), plain_a.get(), plain_b.get()})
        optimizer->zero_grad();
      // The losses depend on both models, so that each gets gradients from both.
      scaler.scale(a.loss() + 2 * b.loss()).backward({}, /*retain_graph=*/true);
      scaler.scale(3 * a.loss() - b.loss()).backward();
      (control_a.loss() + 2 * control_b.loss()).backward({}, true);
      (3 * control_a.loss() - control_b.loss()).backward();
      const bool overflow = i == 2;
      if (overflow) a.params()[0].grad()[0].fill_(kInf);
      scaler.unscale_(*of_a);  // one of them by hand
      CHECK(scaler.step(*of_a) == !overflow);
      CHECK(scaler.step(*of_b));
      if (!overflow) plain_a->step();
      plain_b->step();
      scaler.update();
      CHECK(scaler.get_scale() == (i < 2 ? 256 << i : 256 << (i - 2)));
    }
    check_same(a, control_a);
    check_same(b, control_b);
  }
}

TEST_CASE("a gradient penalty: gradients of the scaled loss are unscaled by hand") {
  for (const Device device : devices()) {
    Network scaled(device), control(device);
    const auto optimizer = sgd(scaled.params()), plain = sgd(control.params());
    GradScaler scaler(from_scale(128));
    const auto penalty = [](const TensorList& gradients) {
      Tensor total = zeros({}, TensorOptions(gradients[0].device()));
      for (const Tensor& g : gradients) total = total + g.pow(2).sum();
      return total.sqrt();
    };
    for (int i = 0; i < 3; ++i) {
      optimizer->zero_grad();
      plain->zero_grad();
      const Tensor loss = scaled.loss(), control_loss = control.loss();
      TensorList gradients =
          autograd::grad({scaler.scale(loss)}, scaled.params(), {}, nullopt, /*create_graph=*/true);
      for (Tensor& g : gradients) g = g * (1 / scaler.get_scale());
      scaler.scale(loss + penalty(gradients)).backward();
      const TensorList wanted = autograd::grad({control_loss}, control.params(), {}, nullopt, true);
      (control_loss + penalty(wanted)).backward();
      CHECK(scaler.step(*optimizer));
      plain->step();
      scaler.update();
    }
    check_same(scaled, control);
  }
}
