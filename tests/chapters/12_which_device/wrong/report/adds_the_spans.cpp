// expect: the example
// Adds all spans: a copy that is hidden behind computation counts, too.
#include <algorithm>
#include <array>

#include "exercises.h"

StepReport read_report(double seconds_on_one, double seconds_on_all, int devices,
                       const std::vector<StepSpan>& spans) {
  TD_CHECK(td::Error, seconds_on_one > 0 && seconds_on_all > 0 && devices > 0,
           "read_report: times and the number of devices must be positive");
  std::vector<double> cuts = {0, seconds_on_all};
  for (const StepSpan& span : spans) {
    TD_CHECK(td::Error, span.device >= 0 && span.device < devices,
             "read_report: there is no device ", span.device, " among ", devices);
    for (const double time : {span.begin, span.end})
      cuts.push_back(std::clamp(time, 0.0, seconds_on_all));
  }
  std::sort(cuts.begin(), cuts.end());
  StepReport report;
  report.speed_up = seconds_on_one / seconds_on_all;
  report.efficiency = report.speed_up / devices;
  double computing = 0;
  for (const StepSpan& span : spans) {
    const double seconds = span.end - span.begin;
    if (span.activity == Activity::kCompute) computing += seconds;
    if (span.activity == Activity::kCopy) report.copies += seconds;
    if (span.activity == Activity::kCommunication) report.communication += seconds;
    if (span.activity == Activity::kLaunch) report.launches += seconds;
  }
  report.waiting = std::max(0.0, devices * seconds_on_all - computing - report.copies -
                                     report.communication - report.launches);
  double most = 0;
  const auto compare = [&](Loss loss, double seconds) {
    if (seconds <= most) return;
    most = seconds;
    report.largest = loss;
  };
  compare(Loss::kCopies, report.copies);
  compare(Loss::kCommunication, report.communication);
  compare(Loss::kLaunches, report.launches);
  compare(Loss::kWaiting, report.waiting);
  return report;
}
