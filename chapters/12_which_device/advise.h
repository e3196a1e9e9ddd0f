// Which device for which size: times the learner's network on the devices of this machine, says
// which one to use from which size on and why, and what its predictions are worth. main.cpp calls
// show_advise. Invariant: a figure is measured in this run, or said to be calculated.
#pragma once

#include <cmath>
#include <iomanip>
#include <iostream>

#include "advise_picture.h"
#include "choice.h"
#include "sim/sim.h"
#include "timings.h"

namespace advising {

/// The middle half of equal runs differs by less than this on a machine that does nothing else.
constexpr double kQuiet = 0.2;

/// Characters of a column that is named like a contender.
inline int label_width(const Timings& timings) {
  std::size_t longest = 14;
  for (const std::string& name : timings.names) longest = std::max(longest, name.size());
  return static_cast<int>(longest);
}

inline std::string percent(double fraction) {
  const long whole = std::lround(100 * fraction);
  return std::string(whole > 0 ? "+" : "").append(std::to_string(whole)).append(" %");
}

inline void introduce(const AdvisorOptions& settings, const Contenders& all, const StepWork& one) {
  std::cout << settings.depth << " hidden layers of " << settings.width << ", "
            << all[0]->parameters() << " parameters; "
            << (settings.inference ? "inference" : "a training step with SGD") << "\nA step is "
            << one.launches << " launches. A sample adds " << std::fixed << std::setprecision(0)
            << one.multiply_adds << " multiply-adds, and " << 4 * settings.width
            << " bytes to copy.\n";
  const bool on_sim =
      std::any_of(all.begin(), all.end(), [](const auto& one) { return one->device().is_sim(); });
  if (on_sim)
    std::cout << "sim: a launch takes " << td::sim::launch_cost() << " us of the host; the link "
              << "gives " << td::sim::link().gb_per_s << " GB/s after "
              << td::sim::link().latency_us << " us\n";
}

/// The times; `<` marks the contender that is advised.
inline void print_times(const Timings& timings, const std::vector<Advice>& choices) {
  const int width = label_width(timings);
  std::cout << "\nmicroseconds per step, medians of " << timings.runs << " runs\n batch";
  for (const std::string& name : timings.names) std::cout << std::setw(width + 3) << name;
  std::cout << '\n';
  for (std::size_t s = 0; s < timings.sizes.size(); ++s) {
    std::cout << std::setw(6) << timings.sizes[s];
    const std::size_t chosen = choice_at(choices, timings.sizes[s]);
    for (std::size_t n = 0; n < timings.names.size(); ++n)
      std::cout << std::setw(width + 1) << microseconds(timings.seconds[n][s])
                << (n == chosen ? " <" : "  ");
    std::cout << '\n';
  }
}

/// Prints the errors of two predictions for the held-out sizes.
inline void print_predictions(const Timings& timings, std::size_t measured) {
  const int width = label_width(timings);
  std::vector<std::size_t> places;
  for (std::size_t s = 0; s < timings.sizes.size(); ++s)
    if (held_out(timings.sizes[s])) places.push_back(s);
  std::cout << "\nheld out, and predicted by the line between the two batches beside it; the "
               "error\n"
            << std::setw(width) << "batch";
  for (const std::size_t s : places) std::cout << std::setw(7) << timings.sizes[s];
  std::cout << "   largest   by one line for all\n";
  for (std::size_t n = 0; n < measured; ++n) {
    double largest = 0, largest_of_line = 0;
    std::cout << std::setw(width) << timings.names[n];
    for (const std::size_t s : places) {
      const double error = timings.error(timings.through(n, s - 1, s + 1), n, s);
      const double of_line = timings.error(timings.costs[n], n, s);
      std::cout << std::setw(7) << percent(error);
      largest = std::max(largest, std::abs(error));
      largest_of_line = std::max(largest_of_line, std::abs(of_line));
    }
    std::cout << std::setw(8) << std::lround(100 * largest) << " %" << std::setw(20)
              << std::lround(100 * largest_of_line) << " %\n";
  }
}

/// Each contender as a straight line. The rate follows from the cost per sample.
inline void print_costs(const Timings& timings, const StepWork& one) {
  const int width = label_width(timings);
  std::cout << '\n'
            << std::setw(width) << "as one line"
            << "   us per step + us per sample   GFLOP/s   runs differ by\n"
            << std::fixed << std::setprecision(1);
  for (std::size_t n = 0; n < timings.names.size(); ++n) {
    const Cost& cost = timings.costs[n];
    std::cout << std::setw(width) << timings.names[n] << std::setw(12) << microseconds(cost.fixed)
              << std::setw(14) << microseconds(cost.per_sample);
    if (cost.per_sample > 1e-12)
      std::cout << std::setw(10) << 2e-9 * one.multiply_adds / cost.per_sample;
    else
      std::cout << std::setw(10) << '-';
    std::cout << std::setw(13) << std::lround(100 * timings.spread[n]) << " %\n";
  }
  for (std::size_t i = 0; i < timings.copied.size(); ++i)
    std::cout << "Of that, copying the batch to " << timings.copied[i] << " is "
              << microseconds(timings.copy_costs[i].fixed) << " us per step and "
              << microseconds(timings.copy_costs[i].per_sample) << " us per sample.\n";
  if (*std::max_element(timings.spread.begin(), timings.spread.end()) > kQuiet)
    std::cout << "This machine was busy: equal runs took different times, and what follows may be "
                 "chance. Run it again when nothing else runs.\n";
}

inline void print_choices(const Timings& timings, const std::vector<Advice>& choices) {
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const std::size_t chosen = choices[i].device;
    std::cout << "  " << timings.names[chosen] << ' ' << range(choices, i);
    if (i > 0) std::cout << ": " << reason(timings, chosen, choices[i - 1].device);
    std::cout << '\n';
  }
}

/// Compares contenders that are never advised with the advised ones at the two extreme sizes.
inline void print_losers(const Timings& timings, const std::vector<Advice>& choices,
                         std::size_t count) {
  for (std::size_t n = 0; n < count; ++n) {
    bool chosen = false;
    for (const Advice& choice : choices) chosen = chosen || choice.device == n;
    if (chosen) continue;
    const std::size_t first = choices.front().device, last = choices.back().device;
    const double at_first = timings.seconds[n].front() / timings.seconds[first].front();
    const double at_last = timings.seconds[n].back() / timings.seconds[last].back();
    std::cout << "  " << timings.names[n] << " for no batch: " << std::fixed << std::setprecision(1)
              << at_first << " times as long as " << timings.names[first] << " at batch "
              << timings.sizes.front() << ", " << at_last << " times as long as "
              << timings.names[last] << " at batch " << timings.sizes.back() << ". On "
              << timings.names[first] << ' ' << reason(timings, first, n) << '\n';
  }
}

/// The counts of a step at every size: what an imagined device is calculated from.
inline std::vector<StepWork> count_work(Contender& contender, const AdvisorOptions& settings,
                                        const std::vector<std::int64_t>& sizes) {
  std::vector<StepWork> works;
  for (const std::int64_t size : sizes)
    works.push_back(contender.work(
        {td::randn({size, settings.width}), td::randint(0, 10, {size}, td::kInt64)}));
  return works;
}

inline void check(const AdvisorOptions& settings) {
  TD_CHECK(app::OptionError, settings.width > 0 && settings.depth > 0 && settings.runs > 0,
           "--width, --depth and --runs must be 1 or more; they are ", settings.width, ", ",
           settings.depth, " and ", settings.runs);
  TD_CHECK(app::OptionError, settings.largest >= 4, "--largest ", settings.largest,
           ": a line needs two batches, and a third one is held out; take 4 or more");
}

}  // namespace advising

/// Times, predicts, advises. `options.device` "auto" means every kind of device there is.
inline void show_advise(const app::Options& options, const advising::AdvisorOptions& settings) {
  using namespace advising;
  check(settings);
  td::optional<HypotheticalDevice> imagined;
  if (!settings.imagine.empty()) imagined = HypotheticalDevice(settings.imagine);
  if (!std::getenv("TD_SIM_LAUNCH_COST")) td::sim::set_launch_cost(5);  // as a GPU's driver takes
  td::manual_seed(options.seed);
  const int threads = td::parallel_width();
  const Contenders all = contenders(options, settings, threads);
  const std::vector<StepWork> works = count_work(*all[0], settings, sizes_up_to(settings.largest));
  introduce(settings, all, works[0]);
  Timings timings = time_all(all, settings);
  td::set_parallel_width(threads);
  if (imagined) add_imagined(timings, "imagined", *imagined, works);
  const std::vector<Advice> choices = choose(timings, all.size());
  print_times(timings, choices);
  print_predictions(timings, all.size());
  print_costs(timings, works[0]);
  std::cout << "\nUse\n";
  print_choices(timings, choices);
  print_losers(timings, choices, all.size());
  std::vector<std::vector<Advice>> marked = {choices};
  if (imagined) {
    std::cout << "With a device of " << settings.imagine
              << " (TFLOPS, GB/s, us per launch; calculated, not measured), use\n";
    marked.push_back(choose(timings, timings.names.size()));
    print_choices(timings, marked.back());
  }
  if (!settings.picture.empty()) write_picture(settings.picture, timings, all.size(), marked);
}
