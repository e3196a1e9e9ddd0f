// Runs of steps, called turns, and their medians.
#include "measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <vector>

namespace timing {
namespace {

constexpr int kTurns = 10;      // in a measurement, with and without transfers together
constexpr int kLeastTurns = 2;  // of each kind
constexpr double kMostSteps = 1e6;
constexpr double kGrowth = 10;  // of the steps of a turn, at most

/// Of all threads of this process: the cost of the step even on a machine with other load.
double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// One of the two kinds of steps.
class Kind {
 public:
  Kind(Job& job, void (Job::*step)(), const Agreement& ranks)
      : job_(job), step_(step), ranks_(ranks) {}

  /// Warms the caches, then chooses as many steps per turn as take about `seconds`. A turn of one
  /// step mostly waits for the device where steps are short, so the number grows turn by turn.
  void warm_up(double seconds) {
    turn();
    for (;;) {
      const double wanted = std::clamp(seconds / std::max(turn(), 1e-9), 1.0, kMostSteps);
      const double now = static_cast<double>(steps_);
      steps_ = std::lround(std::min(wanted, kGrowth * now));
      if (wanted <= 2 * now) break;
    }
    times_.clear();
    processor_.clear();
  }
  /// Makes a turn and returns its seconds per step, those of the slowest rank.
  double turn() {
    job_.wait();
    const double cpu = cpu_seconds(), begin = now();
    for (long i = 0; i < steps_; ++i) (job_.*step_)();
    job_.wait();
    const double passed = now() - begin, processor = cpu_seconds() - cpu;
    const auto steps = static_cast<double>(steps_);
    processor_.push_back(ranks_.sum(processor / steps));
    times_.push_back(ranks_.largest(passed / steps));
    return times_.back();
  }
  double seconds_per_step() const { return median(times_); }
  double cpu_seconds_per_step() const { return median(processor_); }
  std::size_t turns() const { return times_.size(); }
  std::int64_t steps() const { return steps_ * static_cast<std::int64_t>(times_.size()); }
  double seconds() const {
    double sum = 0;
    for (const double t : times_) sum += t * static_cast<double>(steps_);
    return sum;
  }

 private:
  Job& job_;
  void (Job::*step_)();
  const Agreement& ranks_;
  long steps_ = 1;
  std::vector<double> times_, processor_;
};

}  // namespace

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Measurement measure(Job& job, double seconds, const Agreement& ranks) {
  Kind resident(job, &Job::step, ranks), transfers(job, &Job::step_with_transfers, ranks);
  resident.warm_up(seconds / kTurns);
  transfers.warm_up(seconds / kTurns);
  while (resident.turns() < kLeastTurns || resident.seconds() + transfers.seconds() < seconds) {
    resident.turn();
    transfers.turn();
  }
  return {resident.steps(), resident.seconds_per_step(), transfers.seconds_per_step(),
          resident.cpu_seconds_per_step()};
}

}  // namespace timing
