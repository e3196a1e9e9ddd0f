#include "exercises.h"

#include <algorithm>
#include <utility>

// answer: intervals
// Works with lists of intervals: what an activity covers, minus what was covered before.
namespace intervals {
namespace {

using Intervals = std::vector<std::pair<double, double>>;

// Disjoint and sorted.
Intervals merged(Intervals all) {
  std::sort(all.begin(), all.end());
  Intervals result;
  for (const auto& [begin, end] : all) {
    if (end <= begin) continue;
    if (!result.empty() && begin <= result.back().second)
      result.back().second = std::max(result.back().second, end);
    else
      result.emplace_back(begin, end);
  }
  return result;
}

double length(const Intervals& all) {
  double sum = 0;
  for (const auto& [begin, end] : merged(all)) sum += end - begin;
  return sum;
}

}  // namespace

StepReport read_report(double seconds_on_one, double seconds_on_all, int devices,
                       const std::vector<StepSpan>& spans) {
  if (!(seconds_on_one > 0) || !(seconds_on_all > 0) || devices < 1)
    throw td::Error("a report needs positive times and devices");
  StepReport report;
  report.speed_up = seconds_on_one / seconds_on_all;
  report.efficiency = seconds_on_one / (devices * seconds_on_all);
  std::vector<Intervals> covered(static_cast<std::size_t>(devices));
  for (const StepSpan& span : spans)
    if (span.device < 0 || span.device >= devices) throw td::Error("a span of an unknown device");
  double* const losses[] = {nullptr, &report.copies, &report.communication, &report.launches};
  for (const Activity activity :
       {Activity::kCompute, Activity::kCopy, Activity::kCommunication, Activity::kLaunch}) {
    for (std::size_t d = 0; d < covered.size(); ++d) {
      const double before = length(covered[d]);
      for (const StepSpan& span : spans)
        if (span.activity == activity && static_cast<std::size_t>(span.device) == d)
          covered[d].emplace_back(std::max(span.begin, 0.0), std::min(span.end, seconds_on_all));
      if (double* const loss = losses[static_cast<std::size_t>(activity)])
        *loss += length(covered[d]) - before;
    }
  }
  for (const Intervals& all : covered) report.waiting += seconds_on_all - length(all);
  // Differences of sums are not exact.
  const std::pair<Loss, double> named[] = {{Loss::kCopies, report.copies},
                                           {Loss::kCommunication, report.communication},
                                           {Loss::kLaunches, report.launches},
                                           {Loss::kWaiting, report.waiting}};
  double most = 1e-12;
  for (const auto& [loss, seconds] : named)
    if (seconds > most + 1e-12) {
      most = seconds;
      report.largest = loss;
    }
  return report;
}
}  // namespace intervals
