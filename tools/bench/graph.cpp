// A training step of a small network, launch by launch and replayed as a graph, interleaved:
//   cmake --build build/release --target bench_graph && build/release/tools/bench/bench_graph
// An argument names the device (sim:0, or cuda:0). sim's launches first cost the host nothing, and
// then 5 us each, about as much as a CUDA launch. "host" is the time to queue a step, "step" the
// time for a step when the host queues one after another. Medians.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "sim/sim.h"
#include "td/td.h"

namespace {

using namespace td;
namespace F = nn::functional;
using Clock = std::chrono::steady_clock;

constexpr int kTurns = 41, kSteps = 20;  // as many steps as sim's queue holds without waiting

struct Times {
  std::vector<double> host, step;

  /// One run: some steps one after another.
  void take(const Stream& stream, const std::function<void()>& work) {
    stream.synchronize();
    const auto begin = Clock::now();
    for (int i = 0; i < kSteps; ++i) work();
    const auto queued = Clock::now();
    stream.synchronize();
    const auto done = Clock::now();
    const auto microseconds = [](Clock::duration d) {
      return std::chrono::duration<double, std::micro>(d).count() / kSteps;
    };
    host.push_back(microseconds(queued - begin));
    step.push_back(microseconds(done - begin));
  }
  static double median(std::vector<double> v) {
    std::nth_element(v.begin(), v.begin() + v.size() / 2, v.end());
    return v[v.size() / 2];
  }
};

void report(const char* setting, const Times& eager, const Times& replayed, std::size_t launches) {
  const double host = Times::median(eager.host), step = Times::median(eager.step);
  const double host_replayed = Times::median(replayed.host),
               step_replayed = Times::median(replayed.step);
  std::printf("%-22s %9zu %9.1f %9.1f %7.1fx %9.1f %9.1f %7.1fx\n", setting, launches, host,
              host_replayed, host / host_replayed, step, step_replayed, step / step_replayed);
}

}  // namespace

int main(int argc, char** argv) {
  const Device device = check_device(Device(argc > 1 ? argv[1] : "sim:0"));
  const Stream stream = getStreamFromPool(device);
  const StreamGuard guard(stream);
  manual_seed(0);
  nn::Sequential net(nn::Linear(64, 64), nn::ReLU(), nn::Linear(64, 64), nn::ReLU(),
                     nn::Linear(64, 10));
  net->to(device);
  optim::SGD optimizer(net->parameters(), optim::SGDOptions(0.01).momentum(0.9));
  const Tensor x = randn({16, 64}).to(device), y = randint(0, 10, {16}, kLong).to(device);
  const auto step = [&] {
    optimizer.zero_grad();
    F::cross_entropy(net->forward(x), y).backward();
    optimizer.step();
  };
  for (int i = 0; i < 3; ++i) step();
  Graph graph;
  graph.capture(stream, step);
  graph.replay();

  std::printf(
      "%s: MLP 64-64-64-10, batch 16, SGD with momentum; microseconds a step\n"
      "%-22s %9s %9s %9s %8s %9s %9s %8s\n",
      device_name(device).c_str(), "", "launches", "host", "replayed", "", "step", "replayed", "");
  for (double cost : {0.0, 5.0}) {
    if (device.is_cuda() && cost > 0) break;
    sim::set_launch_cost(cost);
    Times eager, replayed;
    for (int turn = 0; turn < kTurns; ++turn) {
      eager.take(stream, step);
      replayed.take(stream, [&] { graph.replay(); });
    }
    const std::string cost_text =
        "a launch costs " + std::to_string(static_cast<int>(cost)) + " us";
    report(device.is_cuda() ? "cuda" : cost_text.c_str(), eager, replayed, graph.size());
  }
  const MemoryStats before = memory_stats(device);
  for (int i = 0; i < 100; ++i) graph.replay();
  std::printf(
      "blocks of memory taken by 100 replays: %llu\n",
      static_cast<unsigned long long>(memory_stats(device).allocations - before.allocations));
}
