// Where the time of a step goes, on traces written by hand: each moment must count once, and as
// what it is. The workers' answers are tested in worker_test.py.
#include <algorithm>

#include "catch.h"
#include "work/explain.h"

namespace {

using namespace td::trace;
using timing::explain_trace;
using timing::Parts;

constexpr std::int64_t kMillisecond = 1'000'000;
enum : std::uint32_t { kMain, kReplica, kQueue, kSim0, kSim1 };  // tracks

/// A trace that is being built; times are milliseconds.
struct Recording {
  Trace trace;
  Recording() {
    trace.tracks = {{TrackKind::kThread, "", 1, "main"},
                    {TrackKind::kThread, "", 2, "replica 1"},
                    {TrackKind::kQueue, "", 1, "collectives"},
                    {TrackKind::kStream, "sim:0", 0, "stream 0"},
                    {TrackKind::kStream, "sim:1", 0, "stream 0"}};
  }
  Recording& add(const char* name, std::uint32_t track, Category category, double begin, double end,
                 std::uint32_t correlation = 0) {
    const auto at = [](double t) { return static_cast<std::int64_t>(t * kMillisecond); };
    trace.spans.push_back({name, at(begin), at(end), 0, track, correlation, category});
    return *this;
  }
  Recording& launch(std::uint32_t correlation, double begin, double end) {
    return add("launch", kMain, Category::kLaunch, begin, end, correlation);
  }
  Recording& kernel(std::uint32_t correlation, double begin, double end,
                    std::uint32_t track = kSim0) {
    return add("mm", track, Category::kKernel, begin, end, correlation);
  }
  Parts parts(double end, int steps = 1, const char* kind = "sim") {
    std::stable_sort(trace.spans.begin(), trace.spans.end(),
                     [](auto& a, auto& b) { return a.begin < b.begin; });
    return explain_trace(trace, kind, 0, static_cast<std::int64_t>(end * kMillisecond), steps);
  }
};

/// Compares milliseconds, and holds the parts to their sum.
void check(const Parts& parts, double compute, double copy, double communication, double launch,
           double wait) {
  const auto is = [](double milliseconds) { return Approx(1e-3 * milliseconds).margin(1e-9); };
  CHECK(parts.compute == is(compute));
  CHECK(parts.copy == is(copy));
  CHECK(parts.communication == is(communication));
  CHECK(parts.launch == is(launch));
  CHECK(parts.wait == is(wait));
  CHECK(parts.compute + parts.copy + parts.communication + parts.launch + parts.wait ==
        Approx(parts.step));
}

}  // namespace

TEST_CASE("kernels that overlap count once, and hide copies and collectives", "[explain]") {
  Recording r;
  r.kernel(0, 0, 4).kernel(0, 3, 6);
  r.add("Memcpy HtoD (Pinned -> Device)", kSim0, Category::kCopy, 5, 8);
  r.add("all_reduce", kQueue, Category::kCollective, 2, 10);
  check(r.parts(10), 6, 0, 4, 0, 0);  // the copy is a part of the collective
}

TEST_CASE("a copy to a peer is communication, one to the host is a copy", "[explain]") {
  Recording r;
  r.add("Memcpy HtoD (Pinned -> Device)", kSim0, Category::kCopy, 0, 2);
  r.kernel(0, 2, 4);
  r.add("Memcpy PtoP (Device -> Device)", kSim0, Category::kCopy, 4, 7);
  check(r.parts(7), 2, 2, 3, 0, 0);
}

TEST_CASE("a gap is launch time until the launch has ended, then waiting", "[explain]") {
  Recording r;
  r.launch(1, 0, 1).kernel(1, 1, 2);
  r.launch(2, 4, 5).kernel(2, 7, 9);  // launched at 5; something else held the stream until 7
  check(r.parts(9), 3, 0, 0, 4, 2);
}

TEST_CASE("a wait that the host makes counts as waiting, not as launch time", "[explain]") {
  Recording busy, waiting;
  for (Recording* r : {&busy, &waiting}) r->launch(1, 0, 0.5).kernel(1, 0.5, 2);
  waiting.add("Event Synchronize", kMain, Category::kWait, 2, 6);
  for (Recording* r : {&busy, &waiting}) r->launch(2, 6, 7).kernel(2, 7, 8);
  check(busy.parts(8), 2.5, 0, 0, 5.5, 0);
  check(waiting.parts(8), 2.5, 0, 0, 1.5, 4);
}

TEST_CASE("only the thread that launches the next work counts as waiting", "[explain]") {
  Recording r;
  r.add("Event Synchronize", kReplica, Category::kWait, 0, 3);
  r.launch(1, 2, 3).kernel(1, 3, 4);
  check(r.parts(4), 1, 0, 0, 3, 0);
}

TEST_CASE("the busiest device is explained; the other device's work is waiting time", "[explain]") {
  Recording r;
  r.launch(1, 0, 0).kernel(1, 0, 1, kSim0);
  r.launch(2, 0, 0).kernel(2, 1, 5, kSim1);
  const Parts parts = r.parts(5);
  check(parts, 4, 0, 0, 0, 1);
}

TEST_CASE("the pieces of one pageable copy are one copy", "[explain]") {
  constexpr const char* kPageable = "Memcpy HtoD (Pageable -> Device)";
  Recording r;
  r.launch(1, 0, 1).add(kPageable, kSim0, Category::kCopy, 1, 2, 1);
  r.launch(2, 3, 4).add(kPageable, kSim0, Category::kCopy, 4, 5, 2);  // 2 to 4: the host copies
  check(r.parts(5), 0, 4, 0, 1, 0);
}

TEST_CASE("on cpu operations compute, and the host's own work is launch time", "[explain]") {
  Recording r;
  r.add("mm", kMain, Category::kOperator, 1, 4);
  r.add("all_reduce", kQueue, Category::kCollective, 3, 6);
  r.kernel(0, 0, 8);  // of a sim device, which is not asked for
  check(r.parts(8, 1, "cpu"), 3, 0, 2, 3, 0);
}

TEST_CASE("parts are those of one of several steps, within the window", "[explain]") {
  Recording r;
  r.kernel(0, -5, 2).kernel(0, 6, 12);
  const Parts parts = r.parts(8, 2);
  CHECK(parts.step == Approx(4e-3));
  CHECK(parts.compute == Approx(2e-3));
}

TEST_CASE("a trace without any work of the device is all launch time", "[explain]") {
  Recording r;
  check(r.parts(3), 0, 0, 0, 3, 0);
}
