// read_report: exercise 15.report, declared in exercises.h.
#include <algorithm>
#include <array>

#include "exercises.h"
#include "td/exercise.h"

StepReport read_report(double seconds_on_one, double seconds_on_all, int devices,
                       const std::vector<StepSpan>& spans) {
  // blank: Cut time at all starts and ends; then each piece has one reason. About 35 lines.
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
  for (int device = 0; device < devices; ++device)
    for (std::size_t i = 1; i < cuts.size(); ++i) {
      const double seconds = cuts[i] - cuts[i - 1];
      std::array<bool, 4> happens{};  // by activity; nothing changes between two cuts
      for (const StepSpan& span : spans)
        if (span.device == device && span.begin <= cuts[i - 1] && cuts[i] <= span.end)
          happens[static_cast<std::size_t>(span.activity)] = true;
      if (seconds <= 0 || happens[0]) continue;
      double& lost = happens[1]   ? report.copies
                     : happens[2] ? report.communication
                     : happens[3] ? report.launches
                                  : report.waiting;
      lost += seconds;
    }
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
  // end
}
