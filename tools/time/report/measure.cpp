// The rounds and their progress. td's ProgressLine moves on a terminal only; elsewhere each round
// prints one line.
#include "measure.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>

#include "app/app.h"
#include "app/terminal.h"
#include "text.h"

namespace report {
namespace {

using Clock = std::chrono::steady_clock;

/// Shows what is measured and how long the rest takes.
class Progress {
 public:
  Progress(const Settings& settings, const Report& report)
      : settings_(settings), terminal_(app::terminal_of(STDOUT_FILENO)) {
    for (const Result& result : report.results) expected_ += settings.rounds * of(result);
    const std::size_t count = report.results.size();
    samples_ = count * static_cast<std::size_t>(settings.rounds);
    std::cout << count << (count == 1 ? " case, " : " cases, ")
              << rounds_text(settings.rounds, settings.seconds) << ": about "
              << duration_text(expected_) << ". Ctrl-C ends it and reports what was measured."
              << std::endl;
  }

  void round(int number) {
    if (!terminal_.interactive)
      std::cout << "round " << number << " of " << settings_.rounds << ", about " << left()
                << " left" << std::endl;
  }

  void sample(const Result& result, int round) {
    ++number_;
    std::string text = "[" + std::to_string(number_) + "/" + std::to_string(samples_) + "] round " +
                       std::to_string(round) + ", " + left() + " left: " + result.what.workload +
                       ", " + label(result.what, "x") +
                       (result.ours() ? "" : ", " + result.framework);
    show(text);
  }

  void show(std::string text) {
    // A line that is as wide as the terminal would wrap, and could not be removed.
    if (text.size() >= terminal_.width) text.resize(terminal_.width - 1);
    line_.show(text);
  }

  /// Counts a sample, so that the remaining time follows what samples really took.
  void finished(const Result& result, double seconds) {
    done_ += of(result);
    spent_ += seconds;
  }

  void say(const std::string& text) {
    line_.clear();
    std::cout << text << std::endl;
  }

 private:
  double of(const Result& result) const { return expected_seconds(result.what, settings_.seconds); }
  std::string left() const {
    return duration_text((expected_ - done_) * (done_ > 0 ? spent_ / done_ : 1));
  }

  const Settings& settings_;
  app::Terminal terminal_;
  app::ProgressLine line_;
  double expected_ = 0, done_ = 0, spent_ = 0;
  std::size_t number_ = 0, samples_ = 0;
};

void take_sample(const Settings& settings, const Job& job, Result& result, Progress& progress) {
  const auto start = Clock::now();
  try {
    result.samples.push_back(job.worker->run(result.what.name, settings.seconds));
  } catch (const CaseFailed& failed) {
    result.error = failed.what();
    progress.say(result.what.name + " failed: " + result.error);
  }
  progress.finished(result, std::chrono::duration<double>(Clock::now() - start).count());
}

/// @return false after Ctrl-C.
bool take_samples(const Settings& settings, Counterparts jobs, int round, Report& report,
                  Progress& progress) {
  if (round % 2 == 1) std::reverse(jobs.begin(), jobs.end());
  for (const Job& job : jobs) {
    if (app::stop_requested()) return false;
    Result& result = report.results[job.result];
    if (!result.error.empty()) continue;
    progress.sample(result, round + 1);
    take_sample(settings, job, result, progress);
  }
  return true;
}

// The medians are then of several processes, whose memory lies in different places.
void renew_workers(const std::vector<Counterparts>& cases) {
  for (const Counterparts& jobs : cases)
    for (const Job& job : jobs) job.worker->renew();
}

bool take_rounds(const Settings& settings, const std::vector<Counterparts>& cases, Report& report,
                 Progress& progress) {
  for (int round = 0; round < settings.rounds; ++round) {
    progress.round(round + 1);
    if (round > 0) renew_workers(cases);
    for (const std::size_t i : order_of_round(cases.size(), round, settings.rounds))
      if (!take_samples(settings, cases[i], round, report, progress)) return false;
  }
  return true;
}

/// The cpu has no queue, no copies and no launches, so its step has one part only.
bool has_parts(const Result& result) {
  return result.ours() && result.what.device != "cpu" && result.error.empty();
}

/// Asks td's own worker, which is the first of the counterparts. @return false after Ctrl-C.
bool explain(const std::vector<Counterparts>& cases, Report& report, Progress& progress) {
  for (const Counterparts& jobs : cases) {
    if (app::stop_requested()) return false;
    Result& result = report.results[jobs.front().result];
    if (!has_parts(result)) continue;
    progress.show("where the time of a step goes: " + result.what.name);
    try {
      result.parts = jobs.front().worker->explain(result.what.name);
    } catch (const CaseFailed& failed) {
      // The times are valid without it, so this is a note and not a failure of the case.
      report.notes.push_back(result.what.name + ": no trace of a step: " + failed.what());
    }
  }
  return true;
}

}  // namespace

bool measure(const Settings& settings, const std::vector<Counterparts>& cases, Report& report) {
  app::stop_requested();  // from here on Ctrl-C waits for the current sample
  Progress progress(settings, report);
  return take_rounds(settings, cases, report, progress) && explain(cases, report, progress);
}

}  // namespace report
