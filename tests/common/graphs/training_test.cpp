// A whole training step as one launch: equal to the bit to the step without a graph.
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
  nn::Sequential net(nn::Linear(20, 32), nn::ReLU(), nn::Linear(32, 5));
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

TEST_CASE("a captured SGD step trains to the same bits") {
  check_equal([](TensorList params) {
    return std::make_unique<optim::SGD>(std::move(params), optim::SGDOptions(0.1));
  });
  check_equal([](TensorList params) {
    return std::make_unique<optim::SGD>(std::move(params),
                                        optim::SGDOptions(0.1).momentum(0.9).weight_decay(1e-3));
  });
}
