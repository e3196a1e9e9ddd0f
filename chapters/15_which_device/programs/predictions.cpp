// How well straight lines predict the time of a step: some batches are measured, but no line uses
// them.
#include <cmath>
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "choice.h"

namespace advising {
namespace {

std::string percent(double fraction) {
  const long whole = std::lround(100 * fraction);
  return std::string(whole > 0 ? "+" : "").append(std::to_string(whole)).append(" %");
}

/// Prints the errors of two predictions for the held-out sizes.
void print_predictions(const Timings& timings, std::size_t measured) {
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
void print_costs(const Timings& timings, const StepWork& one) {
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
}

}  // namespace
}  // namespace advising

int main(int argc, char** argv) {
  advising::AdvisorOptions settings;
  app::Command command("ch15-predictions", "Compares predicted times with measured ones.");
  settings.add_to(command);
  return command.run(argc, argv, [&](const app::Options& options) {
    const auto [contenders, works, timings] = advising::measure(options, settings);
    advising::print_times(timings, advising::choose(timings, contenders.size()));
    advising::print_predictions(timings, contenders.size());
    advising::print_costs(timings, works[0]);
  });
}
