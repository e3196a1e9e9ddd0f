// A training step of many small kernels, launched one by one and as one graph. Both make the same
// step, on the same memory.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iomanip>
#include <iostream>
#include <vector>

#include "app/app.h"
#include "sim/sim.h"
#include "td/device/graph.h"
#include "td/td.h"

namespace {

/// Microseconds per step: until the call returned, and until the device has finished.
struct StepTime {
  double launched, done;
};

/// Medians of `runs` runs of 20 steps that are enqueued without a wait.
StepTime step_time(const td::Stream& stream, int runs, const std::function<void()>& step) {
  constexpr int kSteps = 20;
  std::vector<double> launched, done;
  for (int run = 0; run < runs; ++run) {
    stream.synchronize();
    const auto begin = std::chrono::steady_clock::now();
    const auto since_begin = [begin] {
      const auto taken = std::chrono::steady_clock::now() - begin;
      return std::chrono::duration<double, std::micro>(taken).count() / kSteps;
    };
    for (int i = 0; i < kSteps; ++i) step();
    launched.push_back(since_begin());
    stream.synchronize();
    done.push_back(since_begin());
  }
  for (auto* times : {&launched, &done}) std::sort(times->begin(), times->end());
  return {launched[launched.size() / 2], done[done.size() / 2]};
}

void print_graph(td::Device device) {
  // anchor: graph
  const td::Stream stream = td::getStreamFromPool(device);
  const td::StreamGuard guard(stream);  // the default stream cannot be captured
  td::nn::Sequential model(td::nn::Linear(64, 64), td::nn::ReLU(), td::nn::Linear(64, 64),
                           td::nn::ReLU(), td::nn::Linear(64, 10));
  model->to(device);
  // capturable: the learning rate and the counters are stored on the device
  td::optim::Adam optimizer(model->parameters(), td::optim::AdamOptions(1e-3).capturable(true));
  const td::Tensor x =
      td::randn({16, 64}).to(device);  // x and y keep their memory; batches are copied to it
  const td::Tensor y = td::randint(0, 10, {16}, td::kInt64).to(device);
  td::Tensor loss;
  const auto step = [&] {
    optimizer.zero_grad();
    loss = td::nn::functional::cross_entropy(model->forward(x), y);
    loss.backward();
    optimizer.step();
  };
  for (int i = 0; i < 3; ++i) step();  // the optimizer creates its state

  td::Graph graph;
  graph.capture(stream, step);  // nothing runs
  const td::Tensor graph_loss = loss;
  graph.replay();  // everything runs, as one launch
  // anchor end
  const double before = graph_loss.item<double>();
  const StepTime eager = step_time(stream, 11, step);
  const StepTime replayed = step_time(stream, 11, [&] { graph.replay(); });
  std::cout << "A step is " << graph.size() << " launches and copies. Microseconds per step:\n"
            << "              the call returned   the device finished\n"
            << std::fixed << std::setprecision(1) << "one by one" << std::setw(17) << eager.launched
            << std::setw(21) << eager.done << "\nreplayed  " << std::setw(17) << replayed.launched
            << std::setw(21) << replayed.done << "\nThe loss went "
            << (graph_loss.item<double>() < before ? "down" : "up") << " meanwhile.\n";
}

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch08-graph", "Replays a training step as one launch.");
  command.takes({"seed"});
  return command.run(argc, argv, [&](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    TD_CHECK(app::OptionError, !device.is_cpu(),
             "this program needs a device with a link to the host; use --device sim");
    td::manual_seed(options.seed);
    if (device.is_sim() && !std::getenv("TD_SIM_LAUNCH_COST")) td::sim::set_launch_cost(5);
    print_graph(device);
  });
}
