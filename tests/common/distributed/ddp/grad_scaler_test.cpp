// GradScaler with DistributedDataParallel: an overflow on one rank reaches all of them with the
// mean of the gradients, so that all skip the step and continue with one scale.
#include "ranks.h"

using namespace ranks;

namespace {

constexpr int kSteps = 5, kOverflow = 2;  // rank 1 overflows in this step

struct Result {
  std::vector<bool> stepped;
  List scales, weights, found;
};

Tensor batch(int rank, int step) { return numbers({4, 6}, 50 + 10 * rank + step); }

// Trains with a scaler that grows after every two steps. Under autocast a large picture is enough
// for an overflow; in float32 it takes an infinity.
Result scaled(int rank, Device device, bool autocast) {
  nn::Sequential net = small_net();
  net->to(device);
  DistributedDataParallel ddp(net);
  optim::SGD sgd(net->parameters(), optim::SGDOptions(0.25).momentum(0.5));
  amp::GradScaler scaler(amp::GradScalerOptions().init_scale(1024).growth_interval(2));
  Result result;
  for (int step = 0; step < kSteps; ++step) {
    sgd.zero_grad();
    Tensor x = batch(rank, step);
    if (rank == 1 && step == kOverflow) x = x * (autocast ? 1e4 : INFINITY);
    Tensor loss;
    {
      const amp::AutocastGuard guard(device.type(), kHalf, autocast);
      loss = ddp->forward(x.to(device)).to(kFloat).sum();
    }
    scaler.scale(loss).backward();
    result.stepped.push_back(scaler.step(sgd));
    result.found.push_back(scaler.found_inf(sgd).at(0).item<double>());
    scaler.update();
    result.scales.push_back(scaler.get_scale());
  }
  for (const Tensor& p : net->parameters())
    for (const double w : values(p)) result.weights.push_back(w);
  return result;
}

// The same training without a scaler, and without the step that overflows.
List plain(int rank, Device device) {
  nn::Sequential net = small_net();
  net->to(device);
  DistributedDataParallel ddp(net);
  optim::SGD sgd(net->parameters(), optim::SGDOptions(0.25).momentum(0.5));
  for (int step = 0; step < kSteps; ++step) {
    if (step == kOverflow) continue;
    sgd.zero_grad();
    ddp->forward(batch(rank, step).to(device)).sum().backward();
    sgd.step();
  }
  List weights;
  for (const Tensor& p : net->parameters())
    for (const double w : values(p)) weights.push_back(w);
  return weights;
}

}  // namespace

TEST_CASE("an overflow on one rank makes all ranks skip the step and keep one scale") {
  for (const Device device : kDevices) {
    const std::vector<List> control = on_ranks(2, [&](int rank) { return plain(rank, device); });
    for (const bool autocast : {false, true}) {
      INFO(device << (autocast ? " under autocast" : ""));
      const auto got = on_ranks(2, [&](int rank) { return scaled(rank, device, autocast); });
      for (const Result& of : got) {
        CHECK(of.stepped == std::vector<bool>{true, true, false, true, true});
        CHECK(of.found == List{0, 0, 1, 0, 0});
        CHECK(of.scales == List{1024, 2048, 1024, 1024, 2048});
        CHECK(of.weights == got[0].weights);
        // A power of two as scale takes nothing away from float32.
        if (!autocast) CHECK(of.weights == control[0]);
      }
    }
  }
}
