// The advisor's times: one network on all devices at growing sizes. Some sizes are held out, to
// test the predictions. The programs advise, predictions and imagine measure them.
// Invariant: no prediction uses a size that is held out, and every figure is measured in this run.
#pragma once

#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>

#include "contenders.h"
#include "sim/sim.h"

namespace advising {

/// Powers of two, and between some of them one size that is held out: 3, 12, 48, 192 ...
inline std::vector<std::int64_t> sizes_up_to(std::int64_t largest) {
  std::vector<std::int64_t> sizes;
  bool hold_out = false;
  for (std::int64_t size = 1; size <= largest; size *= 2) {
    if (hold_out) sizes.push_back(size * 3 / 4);
    sizes.push_back(size);
    hold_out = !hold_out && size > 1;
  }
  return sizes;
}
inline bool held_out(std::int64_t size) { return size % 3 == 0; }

/// The sizes that were timed, and the results.
struct Timings {
  std::vector<std::int64_t> sizes;
  int runs = 0;
  std::vector<std::string> names;
  std::vector<std::vector<double>> seconds;  ///< [name][size]
  std::vector<Cost> costs;                   ///< One line for all sizes that are not held out.
  std::vector<std::string> copied;           ///< The names of those whose steps copy,
  std::vector<Cost> copy_costs;              ///< and what the copies of a step cost.
  std::vector<double> spread;  ///< Width of the middle half of the runs, divided by the median.

  /// The line through two of the sizes.
  Cost through(std::size_t name, std::size_t first, std::size_t second) const {
    return fit_cost({sizes[first], sizes[second]}, {seconds[name][first], seconds[name][second]});
  }
  /// Returns the relative error of a line at a size.
  double error(const Cost& line, std::size_t name, std::size_t size) const {
    return line.at(static_cast<double>(sizes[size])) / seconds[name][size] - 1;
  }
};

/// The line for all sizes but those that are held out.
inline Cost fit_known(const std::vector<std::int64_t>& sizes, const std::vector<double>& seconds) {
  std::vector<std::int64_t> known;
  std::vector<double> known_seconds;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (held_out(sizes[i])) continue;
    known.push_back(sizes[i]);
    known_seconds.push_back(seconds[i]);
  }
  return fit_cost(known, known_seconds);
}

/// Returns the width of the middle half of the values, divided by their median.
inline double spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return (values[3 * n / 4] - values[n / 4]) / values[n / 2];
}

/// Returns the median of the spreads of all sizes. The warm-up run of each size is not counted.
inline double typical_spread(const std::map<std::int64_t, std::vector<double>>& runs) {
  std::vector<double> each = {0};
  for (const auto& [size, seconds] : runs)
    if (seconds.size() > 1) each.push_back(spread({seconds.begin() + 1, seconds.end()}));
  std::sort(each.begin(), each.end());
  return each[each.size() / 2];
}

using Contenders = std::vector<std::unique_ptr<Contender>>;

/// As many runs as --runs says, or fewer, so that all of them take about 15 seconds.
inline int runs_that_fit(const Contenders& all, const AdvisorOptions& settings,
                         const std::vector<std::int64_t>& sizes) {
  constexpr double kPatience = 15;
  const Batch largest{td::randn({sizes.back(), settings.width}),
                      td::randint(0, 10, {sizes.back()}, td::kInt64)};
  double round = 0;
  for (const auto& contender : all)  // all sizes together are three of the largest, timed twice
    round += kBurst * static_cast<double>(sizes.size()) + 6 * contender->seconds(largest);
  const double runs = std::min(static_cast<double>(settings.runs), kPatience / round);
  return std::max(3, static_cast<int>(runs));
}

/// Batches of all sizes, on the host.
inline std::map<std::int64_t, Batch> make_batches(const std::vector<std::int64_t>& sizes,
                                                  std::int64_t width) {
  std::map<std::int64_t, Batch> batches;
  for (const std::int64_t size : sizes)
    batches[size] = {td::randn({size, width}), td::randint(0, 10, {size}, td::kInt64)};
  return batches;
}

/// Returns the result of the exercise. @throws td::Error if its shape is wrong, because the program
/// would read beyond its end.
inline std::vector<std::vector<double>> checked(std::vector<std::vector<double>> seconds,
                                                std::size_t devices, std::size_t sizes) {
  bool complete = seconds.size() == devices;
  for (const std::vector<double>& row : seconds) complete = complete && row.size() == sizes;
  TD_CHECK(td::Error, complete, "time_interleaved was given ", devices, " devices and ", sizes,
           " sizes, and returned no table of that shape; see ./course check 15.time_interleaved");
  return seconds;
}

/// Times all contenders, and the copies of those that have some, interleaved, with the exercise.
inline Timings time_all(const Contenders& all, const AdvisorOptions& settings) {
  Timings timings;
  timings.sizes = sizes_up_to(settings.largest);
  timings.runs = runs_that_fit(all, settings, timings.sizes);
  std::map<std::int64_t, Batch> batches = make_batches(timings.sizes, settings.width);
  std::vector<Measure> measures;
  std::vector<std::map<std::int64_t, std::vector<double>>> runs(2 * all.size());
  app::ProgressLine progress;
  std::int64_t done = 0;
  const auto add = [&](const std::string& name, auto&& timed) {
    measures.push_back([&, name, timed, place = measures.size()](std::int64_t size) {
      if (app::stop_requested()) throw app::Stopped(std::to_string(done) + " timings");
      progress.show("timing " + name + ", batch " + std::to_string(size));
      ++done;
      return runs[place][size].emplace_back(timed(batches[size]));
    });
  };
  for (const auto& one : all) {
    timings.names.push_back(one->name());
    add(one->name(), [&](const Batch& batch) { return one->seconds(batch); });
  }
  for (const auto& one : all) {
    if (!one->copies()) continue;
    timings.copied.push_back(one->name());
    add("copies to " + one->name(), [&](const Batch& batch) { return one->copy_seconds(batch); });
  }
  timings.seconds = checked(time_interleaved(measures, timings.sizes, timings.runs),
                            measures.size(), timings.sizes.size());
  for (std::size_t i = 0; i < measures.size(); ++i)
    timings.costs.push_back(fit_known(timings.sizes, timings.seconds[i]));
  for (std::size_t i = 0; i < all.size(); ++i) timings.spread.push_back(typical_spread(runs[i]));
  timings.copy_costs.assign(timings.costs.begin() + static_cast<std::ptrdiff_t>(all.size()),
                            timings.costs.end());
  timings.costs.resize(all.size());
  timings.seconds.resize(all.size());
  return timings;
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

inline void check(const AdvisorOptions& settings) {
  TD_CHECK(app::OptionError, settings.width > 0 && settings.depth > 0 && settings.runs > 0,
           "--width, --depth and --runs must be 1 or more; they are ", settings.width, ", ",
           settings.depth, " and ", settings.runs);
  TD_CHECK(app::OptionError, settings.largest >= 4, "--largest ", settings.largest,
           ": a line needs two batches, and a third one is held out; take 4 or more");
}

/// What the programs advise, predictions and imagine measure.
struct Measured {
  Contenders contenders;
  std::vector<StepWork> works;  ///< The counts of a step at every size.
  Timings timings;
};

/// Describes the network, and times it. `options.device` "auto" means every kind of device there
/// is.
inline Measured measure(const app::Options& options, const AdvisorOptions& settings) {
  check(settings);
  if (!std::getenv("TD_SIM_LAUNCH_COST")) td::sim::set_launch_cost(5);  // as a GPU's driver takes
  td::manual_seed(options.seed);
  const int threads = td::parallel_width();
  Measured measured;
  measured.contenders = contenders(options, settings, threads);
  measured.works = count_work(*measured.contenders[0], settings, sizes_up_to(settings.largest));
  introduce(settings, measured.contenders, measured.works[0]);
  measured.timings = time_all(measured.contenders, settings);
  td::set_parallel_width(threads);
  return measured;
}

}  // namespace advising
