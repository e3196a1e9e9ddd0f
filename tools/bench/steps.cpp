// The cost of small operations: each workload below is run some thousand times and its time
// printed. Under callgrind (count_instructions.py) it counts instructions instead, which other
// programs on the machine cannot disturb. Invariant: a workload ends in the state in which it
// began, so that each round is the same.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "td/base/parallel.h"
#include "td/td.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS_AT(name)
#endif

namespace {

using namespace td;
using Clock = std::chrono::steady_clock;

constexpr int kWarmUp = 50;    // rounds until every cache and list of free blocks is filled
constexpr int kCounted = 100;  // rounds under callgrind
constexpr int kTimed = 100;    // rounds of one measurement: shorter than a scheduler time slice
constexpr int kMeasurements = 1001;  // of which the median is used

struct SimpleModel : nn::Module {
  SimpleModel() { linear = register_module("linear", nn::Linear(10, 1)); }
  Tensor forward(const Tensor& x) { return linear(x); }
  nn::Linear linear{nullptr};
};

void count(const char* name, const std::function<void()>& round) {
  CALLGRIND_ZERO_STATS;
  for (int i = 0; i < kCounted; ++i) round();
  CALLGRIND_DUMP_STATS_AT(name);
}

void time(const char* name, const std::function<void()>& round) {
  std::vector<double> ns;
  for (int m = 0; m < kMeasurements; ++m) {
    const auto start = Clock::now();
    for (int i = 0; i < kTimed; ++i) round();
    ns.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count() / kTimed);
  }
  std::sort(ns.begin(), ns.end());
  std::printf("%-22s %9.1f ns  (fastest tenth %.1f, slowest tenth %.1f)\n", name,
              ns[kMeasurements / 2], ns[kMeasurements / 10], ns[kMeasurements * 9 / 10]);
}

// Runs the workloads whose names begin with `wanted`.
struct Runner {
  std::string wanted;

  void operator()(const char* name, const std::function<void()>& round) const {
    if (std::string(name).compare(0, wanted.size(), wanted) != 0) return;
    for (int i = 0; i < kWarmUp; ++i) round();
    RUNNING_ON_VALGRIND ? count(name, round) : time(name, round);
  }
};

void run_additions(const Runner& run) {
  const Tensor a = rand({1}), b = rand({1}), leaf = rand({1}, requires_grad());
  run("add", [&] { const Tensor c = a + b; });
  run("add_recorded", [&] { const Tensor c = leaf + b; });
  run("add_backward", [&] { (leaf + b).backward(); });
  run("add_number", [&] { const Tensor c = a + 2; });
}

// The parts of a training step, each of which can be repeated on its own.
void run_simple_model(const Runner& run) {
  SimpleModel model;
  optim::SGD optimizer(model.parameters(), optim::SGDOptions(0.01));
  const Tensor x = rand({100, 10}), y = rand({100, 1});
  mse_loss(model.forward(x), y).backward();
  run("simple_zero_grad", [&] { optimizer.zero_grad(); });
  run("simple_forward", [&] { model.forward(x); });
  run("simple_loss", [&] { mse_loss(model.forward(x), y); });
  run("simple_backward", [&] { mse_loss(model.forward(x), y).backward(); });
  run("simple_optimizer", [&] { optimizer.step(); });
  run("simple_step", [&] {
    optimizer.zero_grad();
    mse_loss(model.forward(x), y).backward();
    optimizer.step();
  });
}

// The host's side of an operation on the software accelerator. Its queue is emptied between the
// measurements, so that the host never waits for room in it.
void run_sim(const Runner& run) {
  if (RUNNING_ON_VALGRIND) return;  // the stream's thread would be counted too
  const Device device("sim:0");
  const Tensor a = rand({8}).to(device), b = rand({8}).to(device);
  int queued = 0;
  run("sim_add", [&] {
    const Tensor c = a + b;
    if (++queued % 500 == 0) synchronize(device);
  });
}

// A span without and with a recording, and an operation that is recorded.
void run_spans(const Runner& run) {
  const Tensor a = rand({1}), b = rand({1});
  run("span_off", [&] { const trace::Span span("span"); });
  trace::start();
  run("span_on", [&] { const trace::Span span("span"); });
  run("span_add", [&] { const Tensor c = a + b; });
  trace::stop();
}

}  // namespace

int main(int argc, char** argv) {
  set_parallel_width(1);
  const Runner run{argc > 1 ? argv[1] : ""};
  run_additions(run);
  run_simple_model(run);
  run_sim(run);
  run_spans(run);
}
