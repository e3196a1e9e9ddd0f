// A training step with a scaler as a graph: replays skip, grow, back off, count and follow the
// learning rate as steps without a graph do, because all of that is read in device memory.
#include <memory>

#include "../td/device/graphs/graphs.h"
#include "scaled.h"
#include "td/nn/nn.h"

using namespace td;

namespace {

struct Outcome {
  std::vector<std::vector<double>> parameters;
  std::vector<double> scales;
  std::vector<double> skipped;
};

// Trains with overflows in steps 1, 6 and 7 and another rate from step 8 on; in a graph from
// step 4.
template <class MakeOptimizer>
Outcome train(bool with_graph, const MakeOptimizer& make_optimizer) {
  const test::OnStream on;
  const Device device("sim:0");
  manual_seed(3);
  nn::Sequential net(nn::Linear(4, 8), nn::Tanh(), nn::Linear(8, 3));
  const Tensor x = randn({16, 4}).to(device), y = randn({16, 3}).to(device);
  net->to(device);
  const std::unique_ptr<optim::Optimizer> optimizer = make_optimizer(net->parameters());
  amp::GradScaler scaler(from_scale(128, 2));
  const Tensor factor = ones({}, TensorOptions(device));
  Tensor found_inf;
  const auto step = [&] {
    optimizer->zero_grad();
    scaler.scale(mse_loss(net->forward(x), y) * factor).backward();
    scaler.step_on_device(*optimizer);
    found_inf = scaler.found_inf(*optimizer)[0];
    scaler.update();
  };
  Graph graph;
  Outcome outcome;
  for (int i = 0; i < 12; ++i) {
    factor.fill_(i == 1 || i == 6 || i == 7 ? kInf : 1 + 0.25f * static_cast<float>(i));
    if (i == 8) optimizer->param_groups()[0].options().set_lr(0.002);
    if (!with_graph || i < 4) {
      step();
    } else {
      if (graph.size() == 0) graph.capture(on.stream, step);
      graph.replay();
    }
    outcome.scales.push_back(scaler.get_scale());
    outcome.skipped.push_back(found_inf.item<float>());
  }
  for (const Tensor& p : net->parameters()) outcome.parameters.push_back(values(p));
  return outcome;
}

template <class MakeOptimizer>
void check_equal(const MakeOptimizer& make_optimizer) {
  const Outcome eager = train(false, make_optimizer), replayed = train(true, make_optimizer);
  CHECK(eager.skipped == std::vector<double>{0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0});
  CHECK(replayed.skipped == eager.skipped);
  CHECK(eager.scales ==
        std::vector<double>{128, 64, 64, 128, 128, 256, 128, 64, 64, 128, 128, 256});
  CHECK(replayed.scales == eager.scales);
  CHECK(replayed.parameters == eager.parameters);
}

}  // namespace

TEST_CASE("a replayed step with a scaler does what the step does, for each optimizer") {
  check_equal([](const TensorList& params) {
    return std::make_unique<optim::SGD>(
        params, optim::SGDOptions(0.05).momentum(0.5).dampening(0.25).capturable(true));
  });
  check_equal([](const TensorList& params) {
    return std::make_unique<optim::Adam>(params, optim::AdamOptions(0.01).capturable(true));
  });
  check_equal([](const TensorList& params) {
    return std::make_unique<optim::AdamW>(params, optim::AdamWOptions(0.01).capturable(true));
  });
}
