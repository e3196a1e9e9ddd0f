// GradScaler with DataParallel: an overflow in one replica reaches the gradients of the module, so
// that the step is skipped; all other steps are those of a training without a scaler.
#include <cmath>

#include "amp/grad_scaler.h"
#include "lists.h"
#include "td/ops/autocast_guard.h"
#include "td/optim/optim.h"

using namespace td;
using List = std::vector<double>;

namespace {

constexpr int kSteps = 5, kOverflow = 2;

nn::Sequential small_net(Device device) {
  nn::Sequential net(nn::Linear(3, 4), nn::Tanh(), nn::Linear(4, 2));
  double start = -0.4;
  for (const Tensor& p : net->parameters()) ramp(p, start += 0.07, 0.013);
  net->to(device);
  return net;
}

Tensor batch(int step, Device device) { return ramp(empty({6, 3}), step, 0.1).sin().to(device); }

List weights_of(const nn::Sequential& net) {
  List all;
  for (const Tensor& p : net->parameters())
    for (const double w : values(p)) all.push_back(w);
  return all;
}

// The scale after each step, 0 in front of one that was skipped.
List train(nn::Sequential net, const std::vector<Device>& devices, bool autocast) {
  nn::DataParallel parallel(net, devices);
  optim::Adam adam(net->parameters(), optim::AdamOptions(0.1));
  amp::GradScaler scaler(amp::GradScalerOptions().init_scale(256).growth_interval(2));
  List scales;
  for (int step = 0; step < kSteps; ++step) {
    adam.zero_grad();
    Tensor x = batch(step, devices[0]);
    // The last row is the last replica's.
    if (step == kOverflow) x = cat({x.slice(0, 0, 5), x.slice(0, 5, 6) * INFINITY});
    Tensor loss;
    {
      const amp::AutocastGuard guard(devices[0].type(), kHalf, autocast);
      loss = parallel->forward(x).to(kFloat).square().sum();
    }
    scaler.scale(loss).backward();
    if (!scaler.step(adam)) scales.push_back(0);
    CHECK(scaler.found_inf(adam).size() == 1);  // the gradients are on the module's device
    scaler.update();
    scales.push_back(scaler.get_scale());
  }
  return scales;
}

void train_without_scaler(nn::Sequential net, const std::vector<Device>& devices) {
  nn::DataParallel parallel(net, devices);
  optim::Adam adam(net->parameters(), optim::AdamOptions(0.1));
  for (int step = 0; step < kSteps; ++step) {
    if (step == kOverflow) continue;
    adam.zero_grad();
    parallel->forward(batch(step, devices[0])).square().sum().backward();
    adam.step();
  }
}

}  // namespace

TEST_CASE("an overflow in one replica skips the step of all") {
  for (const auto& devices : device_lists())
    for (const bool autocast : {false, true}) {
      INFO(named(devices) << (autocast ? "under autocast" : ""));
      nn::Sequential net = small_net(devices[0]), control = small_net(devices[0]);
      CHECK(train(net, devices, autocast) == List{256, 512, 0, 256, 256, 512});
      for (const double w : weights_of(net)) CHECK(std::isfinite(w));
      if (autocast) continue;
      train_without_scaler(control, devices);
      CHECK(weights_of(net) == weights_of(control));
    }
}
