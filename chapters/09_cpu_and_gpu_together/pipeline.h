// Three stages at work at the same time: the host prepares, the link copies, the device computes.
// Times each stage alone, then the ways to run them together, and draws one. main.cpp shows it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <thread>

#include "app/app.h"
#include "stages.h"
#include "td/backends/sim/sim.h"
#include "td/base/parallel.h"
#include "td/trace/picture.h"

/// Milliseconds a step that `run` takes, when it makes `steps` of them.
template <class Run>
double step_milliseconds(std::size_t steps, const Run& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
  return taken.count() / static_cast<double>(steps);
}

inline double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Milliseconds that each stage takes a batch, when nothing else is going on.
struct StageTimes {
  double prepare, copy, work;
  double sum() const { return prepare + copy + work; }
  double longest() const { return std::max({prepare, copy, work}); }
};

// anchor: alone
inline StageTimes times_alone(Training& training) {
  const Plan& plan = training.plan();
  const auto times = [&plan](const auto& stage) {
    return step_milliseconds(plan.steps, [&] {
      for (std::size_t i = 0; i < plan.steps; ++i) stage(static_cast<std::int64_t>(i));
      td::synchronize(plan.device);
    });
  };
  StageTimes alone{};
  std::thread([&] {  // as in the pipeline: one thread, one core
    td::set_parallel_width(1);
    alone.prepare = times([&](std::int64_t i) { training.prepare(i); });
  })
      .join();
  const Batch host = training.prepare(0), there = training.copy(host);
  training.work(there);  // first steps ask the system for memory
  td::synchronize(plan.device);
  alone.copy = times([&](std::int64_t) { training.copy(host); });
  alone.work = times([&](std::int64_t) { training.work(there); });
  return alone;
}
// anchor end

inline constexpr int kTurns = 3;

/// One way to run the three stages.
struct Way {
  const char* name;
  void (*run)(Training&);
};
inline constexpr Way kWays[] = {{"plain", [](Training& training) { training.plain(); }},
                                {"loss not read", [](Training& training) { training.unread(); }},
                                {"run_pipeline", [](Training& training) { training.pipelined(); }},
                                {"the library", [](Training& training) { training.library(1); }}};

/// Medians of turns: the stages alone, and each of the ways.
struct Figures {
  StageTimes alone;
  std::vector<double> ways;
};

/// In each turn everything is measured once, so that a busy moment of the machine hits all alike.
/// @throws td::Error when two ways do not give the same losses.
inline Figures measure(Training& training, const std::vector<Way>& ways) {
  std::vector<double> prepare, copy, work;
  std::vector<std::vector<double>> steps(ways.size());
  td::Tensor expected;
  for (int turn = 0; turn < kTurns; ++turn) {
    training.restart();
    const StageTimes alone = times_alone(training);
    prepare.push_back(alone.prepare);
    copy.push_back(alone.copy);
    work.push_back(alone.work);
    for (std::size_t i = 0; i < ways.size(); ++i) {
      training.restart();
      steps[i].push_back(step_milliseconds(training.plan().steps, [&] { ways[i].run(training); }));
      const td::Tensor losses = training.losses();
      if (!expected.defined()) expected = losses;
      TD_CHECK(td::Error, td::equal(losses, expected), "the losses of \"", ways[i].name,
               "\" are not those of \"", ways[0].name, "\": a batch was lost, or read too early");
    }
    if (app::stop_requested()) throw app::Stopped("pipeline, turn " + std::to_string(turn + 1));
  }
  Figures figures{{median_of(prepare), median_of(copy), median_of(work)}, {}};
  for (const auto& times : steps) figures.ways.push_back(median_of(times));
  return figures;
}

inline void print_alone(const StageTimes& alone) {
  std::cout << "milliseconds a batch, each stage alone\n"
            << "   prepare      copy      work       sum   the longest\n"
            << std::fixed << std::setprecision(2);
  for (const double time : {alone.prepare, alone.copy, alone.work, alone.sum()})
    std::cout << std::setw(10) << time;
  std::cout << std::setw(14) << alone.longest() << '\n';
}

// anchor: link
/// Makes sim's link so slow that a copy takes half as long as the work: beside a network this small
/// there would be nothing to see of it. The chapter's other parts find the link as it was.
class SlowLink {
 public:
  explicit SlowLink(Training& training) : before_(td::sim::link()) {
    if (!training.plan().device.is_sim() || std::getenv("TD_SIM_LINK")) return;
    const double seconds = 0.5e-3 * measure(training, {}).alone.work;
    td::sim::set_link({static_cast<double>(training.batch_bytes()) / seconds * 1e-9, 0});
    std::cout << "link: set to " << std::fixed << std::setprecision(2) << td::sim::link().gb_per_s
              << " GB/s, so that a copy takes half as long as the work; TD_SIM_LINK sets another\n";
  }
  ~SlowLink() { td::sim::set_link(before_); }
  SlowLink(const SlowLink&) = delete;
  SlowLink& operator=(const SlowLink&) = delete;

 private:
  td::sim::Link before_;
};
// anchor end

/// The stages together, against the longest of them.
inline void compare_ways(Training& training) {
  const std::vector<Way> ways(std::begin(kWays), std::end(kWays));
  const Figures figures = measure(training, ways);
  print_alone(figures.alone);
  std::cout << "milliseconds a step    step   / the longest\n";
  for (std::size_t i = 0; i < ways.size(); ++i)
    std::cout << std::setw(18) << ways[i].name << std::setw(9) << figures.ways[i] << std::setw(16)
              << figures.ways[i] / figures.alone.longest() << '\n';
  std::cout << "All gave the same losses, bit by bit.\n";
}

/// A network that is done sooner than its batches are made.
inline void add_workers(Training& training) {
  const std::vector<Way> ways = {{"1", [](Training& t) { t.library(1); }},
                                 {"2", [](Training& t) { t.library(2); }},
                                 {"4", [](Training& t) { t.library(4); }}};
  const Figures figures = measure(training, ways);
  const StageTimes& alone = figures.alone;
  std::cout << "A network of " << training.plan().hidden << " instead: to prepare takes longest.\n";
  print_alone(alone);
  std::cout << "workers    step   bound   speed-up   Amdahl    (" << td::core_count()
            << " cores)\n";
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const double workers = std::atof(ways[i].name), share = alone.prepare / alone.sum();
    std::cout << std::setw(7) << ways[i].name << std::setw(8) << figures.ways[i] << std::setw(8)
              << std::max({alone.prepare / workers, alone.copy, alone.work}) << std::setw(11)
              << alone.sum() / figures.ways[i] << std::setw(9) << 1 / (1 - share + share / workers)
              << '\n';
  }
}

/// The same small work before the copy and behind it.
inline void print_twice(Training& training) {
  const td::Device device = training.plan().device;
  const Batch host = training.prepare(0), there = training.copy(host);
  std::vector<double> on_host, on_device;
  for (int turn = 0; turn < 5 * kTurns; ++turn) {
    td::synchronize(device);
    on_host.push_back(step_milliseconds(1, [&] { host.data * 2; }));
    on_device.push_back(step_milliseconds(1, [&] {
      there.data * 2;
      td::synchronize(device);
    }));
  }
  std::cout << "data * 2 takes " << median_of(on_host) << " ms on the host, "
            << median_of(on_device) << " ms on " << device << "\n";
}

inline void draw_pipeline(Plan plan) {
  plan.steps = 6;
  Training training(plan);
  training.restart();
  training.pipelined();  // first steps ask the system for memory
  td::trace::start();
  training.pipelined();
  const td::trace::Trace trace = td::trace::stop();
  std::cout << plan.steps << " steps by run_pipeline:\n"
            << td::trace::text_timeline(trace, td::trace::PictureOptions().host(true));
}

inline void show_pipeline(const app::Options& options, td::Device device) {
  const Plan plan{device, static_cast<std::size_t>(options.batch_size), 48, 160, options.seed};
  Training training(plan);
  std::cout << "A pipeline of three stages: " << plan.steps << " batches of " << plan.batch_size
            << " pictures, " << std::fixed << std::setprecision(2)
            << static_cast<double>(training.batch_bytes()) / 1e6 << " MB each\n";
  const SlowLink link(training);
  compare_ways(training);
  draw_pipeline(plan);
  Plan narrow = plan;
  narrow.hidden = 16;
  Training prepared_longest(narrow);
  add_workers(prepared_longest);
  print_twice(training);
}
