#include "exercises.h"

#include <algorithm>
#include <array>
#include <cmath>

// answer: adds_the_spans
// expect: the example
// Adds all spans: a copy that is hidden behind computation counts, too.
namespace adds_the_spans {
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
}  // namespace adds_the_spans

// answer: always_a_loss
// expect: a device that always computes
// Names a loss although there is none.
namespace always_a_loss {
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
  double most = -1;
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
}  // namespace always_a_loss

// answer: another_order
// expect: a copy, communication and a launch that begin together
// Counts a launch before communication.
namespace another_order {
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
  for (int device = 0; device < devices; ++device)
    for (std::size_t i = 1; i < cuts.size(); ++i) {
      const double seconds = cuts[i] - cuts[i - 1];
      std::array<bool, 4> happens{};  // by activity; nothing changes between two cuts
      for (const StepSpan& span : spans)
        if (span.device == device && span.begin <= cuts[i - 1] && cuts[i] <= span.end)
          happens[static_cast<std::size_t>(span.activity)] = true;
      if (seconds <= 0 || happens[0]) continue;
      double& lost = happens[1]   ? report.copies
                     : happens[3] ? report.launches
                     : happens[2] ? report.communication
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
}
}  // namespace another_order

// answer: efficiency_is_speed_up
// expect: the efficiency of a speed-up of 1.5
// Forgets to divide by the number of devices. Right with one device.
namespace efficiency_is_speed_up {
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
  report.efficiency = report.speed_up;
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
}
}  // namespace efficiency_is_speed_up

// answer: no_check
// expect: a span of device 2 of 2
// Ignores spans of devices that do not exist.
namespace no_check {
StepReport read_report(double seconds_on_one, double seconds_on_all, int devices,
                       const std::vector<StepSpan>& spans) {
  TD_CHECK(td::Error, seconds_on_one > 0 && seconds_on_all > 0 && devices > 0,
           "read_report: times and the number of devices must be positive");
  std::vector<double> cuts = {0, seconds_on_all};
  for (const StepSpan& span : spans) {
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
}
}  // namespace no_check

// answer: one_device_for_all
// expect: two devices, units lost to communication
// Takes all devices together: if one computes, none loses anything.
namespace one_device_for_all {
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
  for (int device = 0; device < devices; ++device)
    for (std::size_t i = 1; i < cuts.size(); ++i) {
      const double seconds = cuts[i] - cuts[i - 1];
      std::array<bool, 4> happens{};  // by activity; nothing changes between two cuts
      for (const StepSpan& span : spans)
        if (span.begin <= cuts[i - 1] && cuts[i] <= span.end)
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
}
}  // namespace one_device_for_all

// answer: spans_outside_the_step
// expect: after the step
// Cuts time outside of the step, too.
namespace spans_outside_the_step {
StepReport read_report(double seconds_on_one, double seconds_on_all, int devices,
                       const std::vector<StepSpan>& spans) {
  TD_CHECK(td::Error, seconds_on_one > 0 && seconds_on_all > 0 && devices > 0,
           "read_report: times and the number of devices must be positive");
  std::vector<double> cuts = {0, seconds_on_all};
  for (const StepSpan& span : spans) {
    TD_CHECK(td::Error, span.device >= 0 && span.device < devices,
             "read_report: there is no device ", span.device, " among ", devices);
    for (const double time : {span.begin, span.end}) cuts.push_back(time);
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
}
}  // namespace spans_outside_the_step

// answer: the_last_of_equals
// expect: four equal losses
// Of equal losses it names the last one.
namespace the_last_of_equals {
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
    if (seconds < most || seconds == 0) return;
    most = seconds;
    report.largest = loss;
  };
  compare(Loss::kCopies, report.copies);
  compare(Loss::kCommunication, report.communication);
  compare(Loss::kLaunches, report.launches);
  compare(Loss::kWaiting, report.waiting);
  return report;
}
}  // namespace the_last_of_equals

// answer: upside_down
// expect: the speed-up from 12 ms to 8 ms
// Divides the wrong way round.
namespace upside_down {
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
  report.speed_up = seconds_on_all / seconds_on_one;
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
}
}  // namespace upside_down

// answer: waits_once
// expect: three devices, of which one has no spans
// Takes the waiting of the device that waits longest.
namespace waits_once {
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
  double longest = 0;
  for (int device = 0; device < devices; ++device) {
    report.waiting = 0;
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
    longest = std::max(longest, report.waiting);
  }
  report.waiting = longest;
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
}  // namespace waits_once

// answer: samples_the_step
// expect: spans that no grid of times hits
// Looks at 1,000 moments of the step instead of at every piece of time.
namespace samples_the_step {
StepReport read_report(double seconds_on_one, double seconds_on_all, int devices,
                       const std::vector<StepSpan>& spans) {
  StepReport report = no_check::read_report(seconds_on_one, seconds_on_all, devices, {});
  constexpr int kSamples = 1000;
  report.waiting = 0;
  for (const StepSpan& span : spans)
    TD_CHECK(td::Error, span.device >= 0 && span.device < devices, "no device ", span.device);
  for (int device = 0; device < devices; ++device)
    for (int i = 0; i < kSamples; ++i) {
      const double time = (i + 0.5) * seconds_on_all / kSamples;
      std::array<bool, 4> happens{};
      for (const StepSpan& span : spans)
        if (span.device == device && span.begin <= time && time < span.end)
          happens[static_cast<std::size_t>(span.activity)] = true;
      if (happens[0]) continue;
      double& lost = happens[1]   ? report.copies
                     : happens[2] ? report.communication
                     : happens[3] ? report.launches
                                  : report.waiting;
      lost += seconds_on_all / kSamples;
    }
  const double losses[] = {1e-9, report.copies, report.communication, report.launches,
                           report.waiting};
  for (int i = 0; i < 5; ++i)
    if (losses[i] > losses[static_cast<int>(report.largest)] + 1e-9 || i == 0)
      report.largest = static_cast<Loss>(i);
  return report;
}
}  // namespace samples_the_step

// answer: whole_microseconds
// expect: spans that no grid of times hits
// Rounds all times to microseconds. Right where the losses are whole ones.
namespace whole_microseconds {
StepReport read_report(double seconds_on_one, double seconds_on_all, int devices,
                       const std::vector<StepSpan>& spans) {
  // The unit is 1/1024 of a microsecond, so that the tests' round numbers stay round.
  const auto rounded = [](double seconds) { return std::round(seconds * 0x1p20) / 0x1p20; };
  std::vector<StepSpan> whole = spans;
  for (StepSpan& span : whole) {
    TD_CHECK(td::Error, span.device >= 0 && span.device < devices, "no device ", span.device);
    span.begin = rounded(span.begin);
    span.end = rounded(span.end);
  }
  return no_check::read_report(seconds_on_one, seconds_on_all, devices, whole);
}
}  // namespace whole_microseconds

// answer: checks_what_counts
// expect: device 2 of 2, in the last of three spans, which lasts from 5
// Leaves spans outside of the step out, before it looks at their device.
namespace checks_what_counts {
StepReport read_report(double seconds_on_one, double seconds_on_all, int devices,
                       const std::vector<StepSpan>& spans) {
  std::vector<StepSpan> inside;
  for (const StepSpan& span : spans) {
    if (span.end <= 0 || span.begin >= seconds_on_all || span.begin == span.end) continue;
    TD_CHECK(td::Error, span.device >= 0 && span.device < devices, "no device ", span.device);
    inside.push_back(span);
  }
  return no_check::read_report(seconds_on_one, seconds_on_all, devices, inside);
}
}  // namespace checks_what_counts

// answer: takes_nan
// expect: so not positive
// `<= 0` is false for a NaN.
namespace takes_nan {
StepReport read_report(double seconds_on_one, double seconds_on_all, int devices,
                       const std::vector<StepSpan>& spans) {
  if (seconds_on_one <= 0 || seconds_on_all <= 0 || devices < 1)
    throw td::Error("read_report: seconds and devices must be positive");
  for (const StepSpan& s : spans)
    if (s.device < 0 || s.device >= devices) throw td::Error("read_report: no such device");
  StepReport r;
  r.speed_up = seconds_on_one / seconds_on_all;
  r.efficiency = r.speed_up / devices;
  for (int d = 0; d < devices; ++d) {
    std::vector<double> cuts{0, seconds_on_all};
    for (const StepSpan& s : spans)
      if (s.device == d) {
        cuts.push_back(std::clamp(s.begin, 0.0, seconds_on_all));
        cuts.push_back(std::clamp(s.end, 0.0, seconds_on_all));
      }
    std::sort(cuts.begin(), cuts.end());
    for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
      const double b = cuts[c], e = cuts[c + 1];
      bool on[4] = {};
      for (const StepSpan& s : spans)
        if (s.device == d && s.begin <= b && s.end >= e) on[int(s.activity)] = true;
      if (on[0]) continue;
      (on[1] ? r.copies : on[2] ? r.communication : on[3] ? r.launches : r.waiting) += e - b;
    }
  }
  const double losses[4] = {r.copies, r.communication, r.launches, r.waiting};
  const auto most = std::max_element(losses, losses + 4) - losses;
  if (losses[most] > 0) r.largest = Loss(most + 1);
  return r;
}
}  // namespace takes_nan

// answer: tiny_losses_are_none
// expect: a step of 1e-10 seconds: the largest loss is kWaiting, got kNone
// Takes losses below a nanosecond for rounding errors.
namespace tiny_losses_are_none {
StepReport read_report(double seconds_on_one, double seconds_on_all, int devices,
                       const std::vector<StepSpan>& spans) {
  const auto positive = [](double value) { return value > 0; };
  TD_CHECK(td::Error, positive(seconds_on_one) && positive(seconds_on_all) && devices >= 1,
           "read_report: times and devices must be positive");
  std::vector<double> cuts = {0, seconds_on_all};
  for (const StepSpan& span : spans) {
    TD_CHECK(td::Error, span.device >= 0 && span.device < devices, "read_report: no such device");
    cuts.push_back(std::clamp(span.begin, 0.0, seconds_on_all));
    cuts.push_back(std::clamp(span.end, 0.0, seconds_on_all));
  }
  std::sort(cuts.begin(), cuts.end());
  double lost[5] = {};
  for (int device = 0; device < devices; ++device)
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      if (cuts[i] == cuts[i + 1]) continue;
      int reason = 4;
      for (const StepSpan& span : spans)
        if (span.device == device && span.begin <= cuts[i] && span.end >= cuts[i + 1])
          reason = std::min(reason, static_cast<int>(span.activity));
      lost[reason] += cuts[i + 1] - cuts[i];
    }
  StepReport report;
  report.speed_up = seconds_on_one / seconds_on_all;
  report.efficiency = report.speed_up / devices;
  report.copies = lost[1];
  report.communication = lost[2];
  report.launches = lost[3];
  report.waiting = lost[4];
  double most = 1e-9;
  for (int reason = 1; reason < 5; ++reason)
    if (lost[reason] > most) {
      most = lost[reason];
      report.largest = static_cast<Loss>(reason);
    }
  return report;
}
}  // namespace tiny_losses_are_none
