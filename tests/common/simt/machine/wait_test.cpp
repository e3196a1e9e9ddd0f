// Loops that wait: for another thread of the block, for another block, and forever.
#include <cstdlib>

#include "catch.h"
#include "kernels.h"
#include "marks.h"
#include "observed.h"

using namespace td;
using simt::launch;

namespace {

constexpr auto kOrders = {simt::Order::kForward, simt::Order::kReversed, simt::Order::kRandom};

/// Launches end soon, as long as it lives.
struct ShortTimeLimit {
  ShortTimeLimit() { setenv("TD_SIM_TIME_LIMIT", "0.3", 1); }
  ~ShortTimeLimit() { unsetenv("TD_SIM_TIME_LIMIT"); }
};

// Of the tests that ThreadSanitizer leaves out.
[[maybe_unused]] void check_timeout(const std::vector<std::string>& findings,
                                    const std::string& mark) {
  REQUIRE(findings.size() == 1);
  CHECK_THAT(findings[0], Catch::StartsWith(place_of_mark(mark) + ": thread ("));
  CHECK_THAT(findings[0], Catch::Contains("0.3 s in which no thread of its block has ended"));
  CHECK_THAT(findings[0], Catch::Contains("cudaErrorLaunchTimeout"));
}

}  // namespace

TEST_CASE("A thread that waits for a volatile variable lets the other threads of the block run") {
  for (const simt::Order order : kOrders) {
    const Tensor ready = sim_zeros({1}), out = sim_zeros({64});
    const auto work = [&] { launch<wait_for_warp>(block_of(64), ready, out); };
    CHECK(findings_of(work, {.order = order}).empty());
    CHECK(ints(out) == std::vector<int>(64, 7));
  }
  const Tensor ready = sim_zeros({1}), out = sim_zeros({64});
  launch<wait_for_warp>(block_of(64), ready, out);
  CHECK(ints(out) == std::vector<int>(64, 7));
}

TEST_CASE("Volatile flags and fences order the blocks of a chain, whichever block begins first") {
  for (const simt::Order order : kOrders) {
    const Tensor ready = sim_zeros({6}), sums = sim_zeros({6});
    const auto findings = findings_of(
        [&] { launch<chained_sum>({.grid = 6, .block = 32}, ready, sums); }, {.order = order});
    CHECK(ints(sums) == std::vector{1, 3, 6, 10, 15, 21});
    for (const std::string& finding : findings)
      CHECK_THAT(finding, Catch::StartsWith("note: ") &&
                              Catch::Contains("a block waits here for one that begins later"));
    CHECK(findings.empty() == (order == simt::Order::kForward));
  }
}

TEST_CASE("Blocks that wait for each other run by turns, with barriers in their loops, too") {
  const auto check = [](auto work) {
    for (const bool is_observed : {false, true}) {
#if defined(TD_THREAD_SANITIZER)  // it delays the signals by which an observed launch knows the
                                  // time
      if (is_observed) return;
#endif
      const Tensor ready = sim_zeros({9}), out = sim_zeros({9});
      if (is_observed)
        CHECK(findings_of([&] { work(ready, out); }).empty());
      else
        work(ready, out);
      CHECK(ints(out) == std::vector{8, 7, 6, 5, 4, 3, 2, 1, 0});
    }
  };
  check([](const Tensor& ready, const Tensor& out) {
    launch<wait_for_each_other>({.grid = 9, .block = 1}, ready, out);
  });
  check([](const Tensor& ready, const Tensor& out) {
    launch<wait_beside_barriers>({.grid = 9, .block = 64}, ready, out);
  });
}

// ThreadSanitizer delays signals until the program waits.
#if !defined(TD_THREAD_SANITIZER)
#ifndef __clang__  // which may take every loop for one that ends, and drops this one
TEST_CASE("A loop without end ends its launch, observed and not, and sim goes on") {
  const ShortTimeLimit limit;
  const Tensor flag = sim_zeros({1}), out = sim_zeros({1});
  const auto work = [&] { launch<wait_for_nobody>(block_of(1), flag, out); };
  check_timeout(findings_of(work), "wait for nobody");
  work();
  try {
    synchronize(Device("sim:0"));
    FAIL("no error");
  } catch (const AsyncError& error) {
    CHECK_THAT(error.what(), Catch::Contains(place_of_mark("wait for nobody")));
  }
  const Tensor ready = sim_zeros({1}), outs = sim_zeros({64});
  launch<wait_for_warp>(block_of(64), ready, outs);
  CHECK(ints(outs) == std::vector<int>(64, 7));
}
#endif

TEST_CASE("Threads that arrive at barriers forever are ended, too") {
  const ShortTimeLimit limit;
  const Tensor out = sim_zeros({64});
  check_timeout(findings_of([&] { launch<wait_at_barriers>(block_of(64), out); }),
                "wait at barriers");
}
#endif
