// How steps are timed, on a job that does nothing but sleep and count.
#include <chrono>
#include <string>
#include <thread>

#include "catch.h"
#include "work/measure.h"

namespace {

/// A step takes a millisecond, one with transfers three; both only begin when wait() is called.
struct Sleeper : timing::Job {
  void step() override {
    pending += 1;
    calls += 's';
  }
  void step_with_transfers() override {
    pending += 3;
    calls += 't';
  }
  void wait() override {
    std::this_thread::sleep_for(std::chrono::milliseconds(pending));
    pending = 0;
  }
  double value() override { return 1; }
  int pending = 0;
  std::string calls;
};

}  // namespace

TEST_CASE("both kinds of steps are timed until the device is done", "[measure]") {
  Sleeper job;
  const timing::Measurement m = timing::measure(job, 0.1);
  CHECK(m.seconds_per_step >= 1e-3);
  CHECK(m.with_transfers >= 3e-3);
  CHECK(m.with_transfers > m.seconds_per_step);
  CHECK(m.cpu_seconds_per_step < m.seconds_per_step);  // it sleeps
  CHECK(m.steps >= 2);
}

TEST_CASE("without any time there are still two alternating turns of each kind", "[measure]") {
  Sleeper job;
  CHECK(timing::measure(job, 0).steps == 2);
  CHECK(job.calls ==
        "sstt"
        "stst");  // warm-up, and then what counts
}

TEST_CASE("turns get longer until they take their share of the time", "[measure]") {
  Sleeper job;
  timing::measure(job, 0.2);
  CHECK(job.calls.find("ssss") != std::string::npos);  // 20 ms a turn, in steps of about one
}

TEST_CASE("the times are those that the ranks agree on", "[measure]") {
  Sleeper job;
  timing::Agreement ranks;
  ranks.largest = [](double) { return 0.5; };
  ranks.sum = [](double) { return 0.25; };
  const timing::Measurement m = timing::measure(job, 2, ranks);
  CHECK(m.seconds_per_step == 0.5);
  CHECK(m.with_transfers == 0.5);
  CHECK(m.cpu_seconds_per_step == 0.25);
  CHECK(m.steps == 2);  // two turns of each kind are two seconds of agreed time
}
