// Quantiles, and the quotients of their medians.
#include "statistics.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace report {
namespace {

std::vector<double> values_of(const Result& result, double Sample::*field) {
  std::vector<double> values;
  values.reserve(result.samples.size());
  for (const Sample& sample : result.samples) values.push_back(sample.*field);
  return values;
}

Spread spread(const std::vector<double>& values) {
  return {quantile(values, 0.5), quantile(values, 0.1), quantile(values, 0.9)};
}

}  // namespace

double quantile(std::vector<double> values, double q) {
  if (values.empty()) throw std::invalid_argument("a quantile needs at least one value");
  std::sort(values.begin(), values.end());
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - std::floor(place)) * (values[above] - values[below]);
}

bool measured(const Result& result) { return !result.samples.empty(); }

Spread step_time(const Result& result) { return spread(values_of(result, &Sample::step)); }

Spread time_with_transfers(const Result& result) {
  return spread(values_of(result, &Sample::with_transfers));
}

double cpu_time(const Result& result) { return quantile(values_of(result, &Sample::cpu), 0.5); }

double per_second(const Result& result) {
  const bool arithmetic = result.what.unit == "flops";
  const Spread time = arithmetic ? step_time(result) : time_with_transfers(result);
  return time.median > 0 ? result.what.per_step / time.median : 0;
}

std::string noise_warning(const Report& report) {
  std::size_t noisy = 0, all = 0;
  for (const Result& result : report.results) {
    if (!measured(result)) continue;
    ++all;
    if (time_with_transfers(result).relative() > 0.1) ++noisy;
  }
  if (noisy == 0) return "";
  return "The spread of " + std::to_string(noisy) + " of " + std::to_string(all) +
         " cases is above 10 %: the machine did other work, too. Close other programs, or take "
         "more samples with --rounds.";
}

bool within_spread(const Result& a, const Result& b) {
  const Spread one = time_with_transfers(a), other = time_with_transfers(b);
  // As in speed_up(): n devices may do n times the work in one step.
  const double work = b.what.per_step > 0 ? a.what.per_step / b.what.per_step : 1;
  return one.p10 <= work * other.p90 && one.p90 >= work * other.p10;
}

double speed_up(const Result& result, const Result& base) {
  const double time = time_with_transfers(result).median;
  const double base_time = time_with_transfers(base).median;
  // Weak scaling: n devices may do n times the work in one step.
  const double work = base.what.per_step > 0 ? result.what.per_step / base.what.per_step : 1;
  return time > 0 ? work * base_time / time : 0;
}

double efficiency(const Result& result, const Result& one_device) {
  return speed_up(result, one_device) / result.what.devices;
}

}  // namespace report
