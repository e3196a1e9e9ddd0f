// Three stages at the same time: the host prepares, the link copies, the device computes. Times
// each stage alone, then the variants of running them together, and draws one. main.cpp shows it.
// Invariant: nothing is timed before all variants have given the same losses.
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

/// One variant of running the three stages.
struct Named {
  std::string name;
  std::function<void(Training&)> run;
};

inline constexpr int kRounds = 3;

/// Medians in milliseconds per step: of each stage alone, and of each variant.
struct Times {
  double prepare, copy, work;
  std::vector<double> variants;
  double sum() const { return prepare + copy + work; }
  double longest() const { return std::max({prepare, copy, work}); }
};

/// The stages alone: as many batches as a variant has, and one wait at the end.
inline std::vector<app::Variant> stages_alone(Training& training) {
  const auto repeat = [&training](const auto& stage) {
    for (std::size_t i = 0; i < training.plan().steps; ++i) stage(static_cast<std::int64_t>(i));
    td::synchronize(training.plan().device);
  };
  const Batch host = training.prepare(0), there = training.copy(host);
  return {[=, &training] {
            std::thread([&] {  // as in the pipeline: one thread on one core
              td::set_parallel_width(1);
              repeat([&](std::int64_t index) { training.prepare(index); });
            })
                .join();
          },
          [=, &training] { repeat([&](std::int64_t) { training.copy(host); }); },
          [=, &training] { repeat([&](std::int64_t) { training.work(there); }); }};
}

/// @throws td::Error if a variant does not give the losses of the plain loop.
inline void check_losses(Training& training, const std::vector<Named>& variants) {
  training.restart();
  training.plain();
  const td::Tensor expected = training.losses();
  for (const Named& variant : variants) {
    training.restart();
    variant.run(training);
    TD_CHECK(td::Error, td::equal(training.losses(), expected), "the losses of \"", variant.name,
             "\" differ from those of the plain loop: a batch was lost, or read before its copy "
             "was done");
  }
}

inline Times measure(Training& training, const std::vector<Named>& variants) {
  check_losses(training, variants);
  std::vector<app::Variant> all = stages_alone(training);
  for (const Named& variant : variants)
    all.push_back([&training, &variant] { variant.run(training); });
  std::vector<double> each = app::median_seconds_interleaved(all, kRounds);
  for (double& time : each) time *= 1e3 / static_cast<double>(training.plan().steps);
  return {each[0], each[1], each[2], {each.begin() + 3, each.end()}};
}

inline void print_alone(const Times& times) {
  std::cout << "milliseconds per batch, each stage alone\n"
            << "   prepare      copy      work       sum   the longest\n"
            << std::fixed << std::setprecision(2);
  for (const double time : {times.prepare, times.copy, times.work, times.sum()})
    std::cout << std::setw(10) << time;
  std::cout << std::setw(14) << times.longest() << '\n';
}

/// Makes sim's link so slow that a copy takes half as long as the work, for the lifetime of the
/// object. Otherwise you would not see the copy next to such a small network.
class SlowLink {
 public:
  explicit SlowLink(Training& training) : before_(td::sim::link()) {
    if (!training.plan().device.is_sim() || std::getenv("TD_SIM_LINK")) return;
    const std::vector<app::Variant> alone = stages_alone(training);
    const double work = app::median_seconds_interleaved({alone[2]}, kRounds)[0];
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

/// Times the variants and compares them with the longest stage.
inline void compare_variants(Training& training) {
  const std::vector<Named> variants = {
      {"plain", [](Training& t) { t.plain(); }},
      {"loss not read", [](Training& t) { t.unread(); }},
      {"run_pipeline", [](Training& t) { t.pipelined(); }},
      {"the library", [](Training& t) { t.library(1); }},
  };
  const Times times = measure(training, variants);
  print_alone(times);
  std::cout << "milliseconds per step  step   / the longest\n";
  for (std::size_t i = 0; i < variants.size(); ++i)
    std::cout << std::setw(18) << variants[i].name << std::setw(9) << times.variants[i]
              << std::setw(16) << times.variants[i] / times.longest() << '\n';
  std::cout << "All losses are bitwise identical.\n";
}

/// A network that needs less time than the preparation of its batches.
inline void add_workers(Training& training) {
  constexpr std::size_t kWorkers[] = {1, 2, 4};
  std::vector<Named> variants;
  for (const std::size_t workers : kWorkers)
    variants.push_back({std::to_string(workers), [workers](Training& t) { t.library(workers); }});
  const Times times = measure(training, variants);
  std::cout << "A network of " << training.plan().hidden
            << " instead: preparation is the longest stage.\n";
  print_alone(times);
  std::cout << "workers    step   bound   speed-up   Amdahl    (" << td::core_count()
            << " cores)\n";
  const double share = times.prepare / times.sum();
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const auto workers = static_cast<double>(kWorkers[i]);
    std::cout << std::setw(7) << kWorkers[i] << std::setw(8) << times.variants[i] << std::setw(8)
              << std::max({times.prepare / workers, times.copy, times.work}) << std::setw(11)
              << times.sum() / times.variants[i] << std::setw(9)
              << 1 / (1 - share + share / workers) << '\n';
  }
}

/// The same small operation on the host and on the device.
inline void print_doubling(Training& training) {
  const td::Device device = training.plan().device;
  const Batch host = training.prepare(0), there = training.copy(host);
  const auto on_host = [&] { const td::Tensor doubled = host.data * 2; };
  const auto on_device = [&] {
    const td::Tensor doubled = there.data * 2;
    td::synchronize(device);
  };
  const std::vector<double> seconds =
      app::median_seconds_interleaved({on_host, on_device}, 5 * kRounds);
  std::cout << "data * 2 takes " << 1e3 * seconds[0] << " ms on the host, " << 1e3 * seconds[1]
            << " ms on " << device << '\n';
}

inline void draw(Plan plan) {
  plan.steps = 6;
  Training training(plan);
  training.pipelined();  // the first steps allocate memory
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
            << " images, " << std::fixed << std::setprecision(2)
            << static_cast<double>(training.batch_bytes()) / 1e6 << " MB each\n";
  {
    const pipeline::SlowLink link(training);
    pipeline::compare_variants(training);
    pipeline::draw(plan);
  }
  pipeline::Plan narrow = plan;
  narrow.hidden = 16;
  narrow.steps = 24;
  pipeline::Training prepared_longest(narrow);
  pipeline::add_workers(prepared_longest);
  pipeline::print_doubling(training);
}
