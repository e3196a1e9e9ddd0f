// Times of the three stages of stages.h: of each stage alone, and of variants of running them
// together. programs/pipeline.cpp and programs/workers.cpp compare them.
// Invariant: nothing is timed before all variants have given the same losses.
#pragma once

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <thread>

#include "app/interleaved.h"
#include "stages.h"
#include "td/base/parallel.h"

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

}  // namespace pipeline
