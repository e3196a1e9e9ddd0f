// Inference by batch size, one call at a time and as a graph, and what a call on the host costs.
#include <iomanip>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "app/app.h"
#include "inference.h"
#include "td/device/graph.h"

namespace inference {
namespace {

/// Seconds of a replay of the model's forward pass, captured in inference mode.
double replay_seconds(td::nn::Sequential model, const td::Tensor& x, int rounds) {
  const td::Stream stream = td::getStreamFromPool(x.device());
  td::synchronize(x.device());
  const td::StreamGuard guard(stream);  // the default stream cannot be captured
  model->eval();
  const td::InferenceMode inference;
  td::Tensor scores = model->forward(x);  // creates what the first use needs
  td::Graph graph;
  graph.capture(stream, [&] { scores = model->forward(x); });
  const auto replay = [&] {
    graph.replay();
    stream.synchronize();
  };
  return app::median_seconds_interleaved({replay}, rounds)[0];
}

/// Latency and throughput.
void print_batch_sizes(const td::Tensor& x, int rounds) {
  td::nn::Sequential model = image_net();
  model->to(x.device());
  std::cout << "inference mode, by batch size\n"
            << "  images   ms per batch   images per second   peak MiB   ms as a graph\n";
  for (std::int64_t size = 1; size <= x.size(0); size *= 4) {
    const td::Tensor batch = x.narrow(0, 0, size);
    const Work forward = [=]() mutable {
      model->eval();
      const td::InferenceMode inference;
      return model->forward(batch);
    };
    const double seconds =
        app::median_seconds_interleaved({waited(forward, x.device())}, rounds)[0];
    std::cout << std::setw(8) << size << std::fixed << std::setprecision(2) << std::setw(13)
              << 1e3 * seconds << std::setprecision(0) << std::setw(20)
              << static_cast<double>(size) / seconds << std::setprecision(1) << std::setw(11)
              << mib(memory_of(forward, x.device()).peak) << std::setprecision(2) << std::setw(16);
    if (x.device().is_cpu())
      std::cout << "-";
    else
      std::cout << 1e3 * replay_seconds(model, batch, rounds);
    std::cout << std::endl;
  }
}

/// Nanoseconds of one call: the median of 11 rounds of 1000 calls.
double nanoseconds(const Work& work) {
  constexpr int kCalls = 1000;
  const auto many = [&] {
    for (int i = 0; i < kCalls; ++i) work();
  };
  return app::median_seconds_interleaved({many}, 11)[0] * 1e9 / kCalls;
}

/// Operations so small that the cost of a graph node is visible. The host pays it, so the tensors
/// are on the host.
void print_bookkeeping() {
  const td::Tensor x = td::randn({1, 10}), w = td::randn({1, 10}, td::requires_grad());
  td::nn::Linear simple(10, 1);
  const std::vector<std::pair<const char*, Work>> calls = {
      {"x * w", [=] { return x * w; }},
      {"w.view({2, 5})",
       [=] {
         return w.view({2, 5});
       }},
      {"SimpleModel", [=]() mutable { return simple->forward(x); }}};
  std::cout << "nanoseconds per call on the host, one sample\n"
            << "               with graph   no_grad   inference mode\n";
  for (const auto& call : calls) {
    const Work& work = call.second;
    const double tracked = nanoseconds(work);
    const auto untracked = [&] {
      const td::NoGradGuard guard;
      return nanoseconds(work);
    };
    const auto inference = [&] {
      const td::InferenceMode guard;
      return nanoseconds(work);
    };
    std::cout << std::left << std::setw(17) << call.first << std::right << std::fixed
              << std::setprecision(0) << std::setw(8) << tracked << std::setw(10) << untracked()
              << std::setw(17) << inference() << std::endl;
  }
}

}  // namespace
}  // namespace inference

int main(int argc, char** argv) {
  app::Command command("ch04-batch_sizes", "Times inference by batch size.");
  command.takes({"batch-size", "seed"});
  command.options.batch_size = 256;
  return command.run(argc, argv, [](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    td::manual_seed(options.seed);
    inference::print_batch_sizes(td::randn({options.batch_size, 3, 32, 32}).to(device), 7);
    inference::print_bookkeeping();
  });
}
