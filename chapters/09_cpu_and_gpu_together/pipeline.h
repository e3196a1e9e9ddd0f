// Three stages at work at the same time: the host prepares, the link copies, the device computes.
// Times each stage alone, then the ways to run them together, and draws one. main.cpp shows it.
// Invariant: nothing is timed before all ways have given the same losses.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <thread>

#include "app/app.h"
#include "app/interleaved.h"
#include "sim/sim.h"
#include "stages.h"
#include "td/base/parallel.h"
#include "trace/trace.h"

namespace pipeline {

/// One way to run the three stages.
struct Named {
  std::string name;
  std::function<void(Training&)> run;
};

inline constexpr int kTurns = 3;

/// Medians, in milliseconds a step: of each stage when nothing else is going on, and of each way.
struct Figures {
  double prepare, copy, work;
  std::vector<double> ways;
  double sum() const { return prepare + copy + work; }
  double longest() const { return std::max({prepare, copy, work}); }
};

// anchor: alone
/// The stages one by one: as many batches as a way has, and a wait at the end.
inline std::vector<app::Variant> stages_alone(Training& training) {
  const auto repeat = [&training](const auto& stage) {
    for (std::size_t i = 0; i < training.plan().steps; ++i) stage(static_cast<std::int64_t>(i));
    td::synchronize(training.plan().device);
  };
  const Batch host = training.prepare(0), there = training.copy(host);
  return {[=, &training] {
            std::thread([&] {  // as in the pipeline: one thread, one core
              td::set_parallel_width(1);
              repeat([&](std::int64_t index) { training.prepare(index); });
            })
                .join();
          },
          [=, &training] { repeat([&](std::int64_t) { training.copy(host); }); },
          [=, &training] { repeat([&](std::int64_t) { training.work(there); }); }};
}
// anchor end

/// @throws td::Error when a way does not give the losses of the plain loop.
inline void check_losses(Training& training, const std::vector<Named>& ways) {
  training.restart();
  training.plain();
  const td::Tensor expected = training.losses();
  for (const Named& way : ways) {
    training.restart();
    way.run(training);
    TD_CHECK(td::Error, td::equal(training.losses(), expected), "the losses of \"", way.name,
             "\" are not those of the plain loop: a batch was lost, or read before it was there");
  }
}

inline Figures measure(Training& training, const std::vector<Named>& ways) {
  check_losses(training, ways);
  std::vector<app::Variant> all = stages_alone(training);
  for (const Named& way : ways) all.push_back([&training, &way] { way.run(training); });
  std::vector<double> times = app::median_seconds_interleaved(all, kTurns);
  for (double& time : times) time *= 1e3 / static_cast<double>(training.plan().steps);
  return {times[0], times[1], times[2], {times.begin() + 3, times.end()}};
}

inline void print_alone(const Figures& figures) {
  std::cout << "milliseconds a batch, each stage alone\n"
            << "   prepare      copy      work       sum   the longest\n"
            << std::fixed << std::setprecision(2);
  for (const double time : {figures.prepare, figures.copy, figures.work, figures.sum()})
    std::cout << std::setw(10) << time;
  std::cout << std::setw(14) << figures.longest() << '\n';
}

// anchor: link
/// Makes sim's link so slow that a copy takes half as long as the work: beside a network this small
/// there would be nothing to see of it. Afterwards the link is as it was.
class SlowLink {
 public:
  explicit SlowLink(Training& training) : before_(td::sim::link()) {
    if (!training.plan().device.is_sim() || std::getenv("TD_SIM_LINK")) return;
    const std::vector<app::Variant> alone = stages_alone(training);
    const double work = app::median_seconds_interleaved({alone[2]}, kTurns)[0];
    const std::size_t bytes = training.batch_bytes() * training.plan().steps;
    td::sim::set_link({static_cast<double>(bytes) / (0.5 * work) * 1e-9, 0});
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
  const std::vector<Named> ways = {
      {"plain", [](Training& t) { t.plain(); }},
      {"loss not read", [](Training& t) { t.unread(); }},
      {"run_pipeline", [](Training& t) { t.pipelined(); }},
      {"the library", [](Training& t) { t.library(1); }},
  };
  const Figures figures = measure(training, ways);
  print_alone(figures);
  std::cout << "milliseconds a step    step   / the longest\n";
  for (std::size_t i = 0; i < ways.size(); ++i)
    std::cout << std::setw(18) << ways[i].name << std::setw(9) << figures.ways[i] << std::setw(16)
              << figures.ways[i] / figures.longest() << '\n';
  std::cout << "All gave the same losses, bit by bit.\n";
}

/// A network that is done sooner than its batches are made.
inline void add_workers(Training& training) {
  constexpr std::size_t kWorkers[] = {1, 2, 4};
  std::vector<Named> ways;
  for (const std::size_t workers : kWorkers)
    ways.push_back({std::to_string(workers), [workers](Training& t) { t.library(workers); }});
  const Figures figures = measure(training, ways);
  std::cout << "A network of " << training.plan().hidden << " instead: preparing takes longest.\n";
  print_alone(figures);
  std::cout << "workers    step   bound   speed-up   Amdahl    (" << td::core_count()
            << " cores)\n";
  const double share = figures.prepare / figures.sum();
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const auto workers = static_cast<double>(kWorkers[i]);
    std::cout << std::setw(7) << kWorkers[i] << std::setw(8) << figures.ways[i] << std::setw(8)
              << std::max({figures.prepare / workers, figures.copy, figures.work}) << std::setw(11)
              << figures.sum() / figures.ways[i] << std::setw(9)
              << 1 / (1 - share + share / workers) << '\n';
  }
}

/// The same small work before the copy and behind it.
inline void print_doubling(Training& training) {
  const td::Device device = training.plan().device;
  const Batch host = training.prepare(0), there = training.copy(host);
  const auto on_host = [&] { const td::Tensor doubled = host.data * 2; };
  const auto on_device = [&] {
    const td::Tensor doubled = there.data * 2;
    td::synchronize(device);
  };
  const std::vector<double> seconds =
      app::median_seconds_interleaved({on_host, on_device}, 5 * kTurns);
  std::cout << "data * 2 takes " << 1e3 * seconds[0] << " ms on the host, " << 1e3 * seconds[1]
            << " ms on " << device << '\n';
}

inline void draw(Plan plan) {
  plan.steps = 6;
  Training training(plan);
  training.pipelined();  // first steps ask the system for memory
  td::trace::start();
  training.pipelined();
  const td::trace::Trace trace = td::trace::stop();
  std::cout << plan.steps << " steps by run_pipeline:\n"
            << td::trace::text_timeline(trace, td::trace::PictureOptions().host(true));
}

}  // namespace pipeline

inline void show_pipeline(const app::Options& options, td::Device device) {
  const pipeline::Plan plan{device, static_cast<std::size_t>(options.batch_size), 64, 256,
                            options.seed};
  pipeline::Training training(plan);
  std::cout << "A pipeline of three stages: " << plan.steps << " batches of " << plan.batch_size
            << " pictures, " << std::fixed << std::setprecision(2)
            << static_cast<double>(training.batch_bytes()) / 1e6 << " MB each\n";
  {
    const pipeline::SlowLink link(training);
    pipeline::compare_ways(training);
    pipeline::draw(plan);
  }
  pipeline::Plan narrow = plan;
  narrow.hidden = 16;
  narrow.steps = 24;
  pipeline::Training prepared_longest(narrow);
  pipeline::add_workers(prepared_longest);
  pipeline::print_doubling(training);
}
