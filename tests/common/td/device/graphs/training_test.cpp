// A whole training step as one launch: bitwise identical to the step without a graph.
#include "graphs.h"

using namespace td;
using test::OnStream;
using test::values;
namespace F = nn::functional;

namespace {

struct Run {
  std::vector<float> losses;
  std::vector<std::vector<float>> parameters;
};

/// Trains the same network on the same batches, with or without a graph, after `warm_up` steps
/// without one.
template <class MakeOptimizer>
Run train(bool with_graph, const MakeOptimizer& make_optimizer, int warm_up = 3, int steps = 8) {
  const OnStream on;
  const TensorOptions there(Device("sim:0"));
  manual_seed(3);
  nn::Sequential net(nn::Linear(20, 32), nn::ReLU(), nn::Dropout(0.2), nn::Linear(32, 5));
  net->to(Device("sim:0"));
  auto optimizer = make_optimizer(net->parameters());
  const Tensor x = empty({16, 20}, there), y = empty({16}, there.dtype(kLong));
  Tensor loss;
  const auto step = [&] {
    optimizer->zero_grad();
    loss = F::cross_entropy(net->forward(x), y);
    loss.backward();
    optimizer->step();
  };
  Run run;
  Graph graph;
  for (int i = 0; i < warm_up + steps; ++i) {
    x.copy_(arange(0, 320, TensorOptions(kFloat)).mul(0.37 + i).sin().view({16, 20}));
    y.copy_(arange(0, 16, TensorOptions(kLong)).add(i).remainder(5));
    if (i == 7) optimizer->param_groups()[0].options().set_lr(0.02);
    if (!with_graph || i < warm_up) {
      step();
    } else {
      if (graph.size() == 0) graph.capture(on.stream, step);
      graph.replay();
    }
    run.losses.push_back(loss.item<float>());
  }
  for (const Tensor& p : net->parameters()) run.parameters.push_back(values(p));
  return run;
}

template <class MakeOptimizer>
void check_equal(const MakeOptimizer& make_optimizer) {
  const Run eager = train(false, make_optimizer), replayed = train(true, make_optimizer);
  CHECK(eager.losses == replayed.losses);
  CHECK(eager.parameters == replayed.parameters);
  CHECK(eager.losses.front() != eager.losses.back());
}

}  // namespace

TEST_CASE("a captured step trains to the same bits, also when the learning rate changes") {
  SECTION("SGD") {
    check_equal([](TensorList params) {
      return std::make_unique<optim::SGD>(std::move(params),
                                          optim::SGDOptions(0.1).capturable(true));
    });
  }
  SECTION("SGD with momentum") {
    check_equal([](TensorList params) {
      return std::make_unique<optim::SGD>(
          std::move(params),
          optim::SGDOptions(0.1).momentum(0.9).weight_decay(1e-3).capturable(true));
    });
  }
  SECTION("Adam") {
    check_equal([](TensorList params) {
      return std::make_unique<optim::Adam>(std::move(params),
                                           optim::AdamOptions(0.05).capturable(true));
    });
  }
  SECTION("AdamW") {
    check_equal([](TensorList params) {
      return std::make_unique<optim::AdamW>(std::move(params),
                                            optim::AdamWOptions(0.05).capturable(true));
    });
  }
}

namespace {

struct ScaledRun {
  std::vector<double> scales;
  std::vector<std::vector<float>> weights;
};

/// The same under autocast with a GradScaler; the gradients of step 6 overflow.
ScaledRun train_scaled(bool with_graph) {
  const OnStream on;
  const TensorOptions there(Device("sim:0"));
  manual_seed(3);
  nn::Sequential net(nn::Linear(20, 32), nn::ReLU(), nn::Linear(32, 5));
  net->to(Device("sim:0"));
  optim::Adam optimizer(net->parameters(), optim::AdamOptions(0.01).capturable(true));
  amp::GradScaler scaler(amp::GradScalerOptions().init_scale(1024).growth_interval(4));
  const Tensor x = empty({16, 20}, there), y = zeros({16}, kLong).to(Device("sim:0"));
  const auto step = [&] {
    optimizer.zero_grad();
    Tensor loss;
    {
      const amp::AutocastGuard half(kSIM);
      loss = F::cross_entropy(net->forward(x), y);
    }
    scaler.scale(loss).backward();
    scaler.step_on_device(optimizer);
    scaler.update();
  };
  ScaledRun run;
  Graph graph;
  for (int i = 0; i < 12; ++i) {
    x.copy_(arange(0, 320, TensorOptions(kFloat)).mul(0.37 + i).sin().view({16, 20}));
    if (i == 6) x.fill_(6e4);
    if (!with_graph || i < 3) {
      step();
    } else {
      if (graph.size() == 0) graph.capture(on.stream, step);
      graph.replay();
    }
    run.scales.push_back(scaler.get_scale());
    run.weights.push_back(values(net->parameters()[0]));
  }
  return run;
}

}  // namespace

TEST_CASE("a captured step under autocast and GradScaler skips, backs off and grows by itself") {
  const ScaledRun eager = train_scaled(false), replayed = train_scaled(true);
  CHECK(eager.scales == replayed.scales);
  CHECK(eager.weights == replayed.weights);
  CHECK(replayed.scales == std::vector<double>{1024, 1024, 1024, 2048, 2048, 2048, 1024, 1024, 1024,
                                               1024, 2048, 2048});
  CHECK(replayed.weights[6] == replayed.weights[5]);  // skipped
  CHECK(replayed.weights[7] != replayed.weights[6]);
}
