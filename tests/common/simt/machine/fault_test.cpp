// Faults of kernels at barriers and by traps: the text of each report, and that sim continues.
#include "catch.h"
#include "kernels.h"
#include "marks.h"
#include "observed.h"

using namespace td;
using simt::launch;

namespace {

/// A launch on sim:0 works.
void check_that_sim_goes_on() {
  const Tensor a = ones({64}).to("sim:0"), out = empty_like(a);
  launch<::add>(block_of(64), a, a, out, 64);
  CHECK(out.cpu().sum().item<float>() == 128);
}

/// The text of the error at the next synchronization.
std::string async_error(const std::function<void()>& work) {
  work();
  try {
    synchronize(Device("sim:0"));
  } catch (const AsyncError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("Threads of a block at different barriers are reported with both lines, and go on") {
  const Tensor out = sim_zeros({256});
  const auto findings = findings_of([&] { launch<divided_barrier>(block_of(256), out); });
  REQUIRE(findings.size() == 1);
  CHECK(findings[0] == place_of_mark("divided_barrier") +
                           ": 32 threads of block (0,0,0) wait here, 224 at " +
                           line_text("other_barrier") +
                           "\n  all threads of a block must reach the same __syncthreads(): move "
                           "it out of the condition");
  CHECK(out.cpu().sum().item<int>() == 256);
}

TEST_CASE("A barrier in another file is named with its file") {
  const Tensor in = sim_zeros({64}), out = sim_zeros({64});
  const auto findings = findings_of([&] { launch<barrier_of_header>(block_of(64), in, out); });
  REQUIRE(!findings.empty());
  CHECK_THAT(findings[0],
             Catch::StartsWith(place_of_mark("after step")) &&
                 Catch::Contains("after the barrier of " + place_of_mark("end of step") + "; "));
}

TEST_CASE("Threads that return before a barrier are a note") {
  const Tensor out = sim_zeros({64});
  const auto findings = findings_of([&] { launch<early_return>(block_of(64), out, 40); });
  REQUIRE(findings.size() == 1);
  CHECK(findings[0] == "note: " + place_of_mark("early_return") +
                           ": 40 threads of block (0,0,0) wait here, 24 have returned before\n"
                           "  a GPU goes on without them; but they cannot help with what follows. "
                           "Guard the work, not the thread: if (i < n) { ... }");
  launch<early_return>(block_of(64), out, 40);
  synchronize(Device("sim:0"));  // no error
}

TEST_CASE("A division by zero ends its thread with the line, and sim goes on") {
  const Tensor in = tensor({1, 2, 0, 3}, kInt).to("sim:0"), out = sim_zeros({4});
  const std::string report = place_of_mark("divide") +
                             ": thread (2,0,0) of block (0,0,0) divides an integer by zero\n"
                             "  a GPU does not stop here, and its result is undefined: test the "
                             "divisor before";
  CHECK(findings_of([&] { launch<divide>(block_of(4), in, out); }) == std::vector{report});
  CHECK(out.cpu()[3].item<int>() == 4);
  CHECK(async_error([&] { launch<divide>(block_of(4), in, out); }) ==
        "divide failed on sim:0: " + report +
            ". It was queued earlier and runs beside the host, so the error appears only now; what "
            "was queued behind it was not run.");
  check_that_sim_goes_on();
}

TEST_CASE("An assertion that does not hold is reported with its text") {
  const Tensor in = tensor({1, 0}, kInt).to("sim:0"), out = sim_zeros({2});
  CHECK(findings_of([&] { launch<checks>(block_of(2), in, out); }) ==
        std::vector{place_of_mark("checks") + ": assertion `in[threadIdx.x] > 0` failed in thread "
                                              "(1,0,0) of block (0,0,0)"});
  CHECK(out.cpu()[0].item<int>() == 1);
}

TEST_CASE("An assertion is reported where nothing is observed and no report was made before") {
  Tensor in = ones({64}, kInt);
  in[5] = -1;
  const Tensor on_sim = in.to("sim:0"), out = sim_zeros({64});
  const std::string text = async_error([&] { launch<checks_alone>(block_of(64), on_sim, out); });
  CHECK_THAT(text, Catch::Contains(place_of_mark("checks alone") +
                                   ": assertion `in[threadIdx.x] >= 0` failed in thread (5,0,0) of "
                                   "block (0,0,0)"));
  check_that_sim_goes_on();
}

TEST_CASE("An access where there is no memory ends its thread, also where nothing is observed") {
  const Tensor out = sim_zeros({64});
  const std::string text =
      async_error([&] { launch<wild>(block_of(64), out, std::int64_t{1} << 45); });
  const std::string begin = "wild failed on sim:0: " + place_of_mark("wild") +
                            ": thread (3,0,0) of block (0,0,0) accesses a";
  CHECK(text.substr(0, begin.size()) == begin);
#if defined(__x86_64__)  // which does not tell an address of more than 47 bits
  CHECK_THAT(text, Catch::Contains("accesses an address that no memory can have"));
#endif
  CHECK(out.cpu().sum().item<int>() == 63);
  check_that_sim_goes_on();
}

TEST_CASE("A recursion without end is reported, and the other threads finish") {
  const Tensor out = sim_zeros({4});
  const std::string text = async_error([&] { launch<endless>(block_of(4), out); });
  CHECK(text.find("thread (1,0,0) of block (0,0,0) needs more stack than a thread of sim has") !=
        std::string::npos);
  CHECK(out.cpu().sum().item<int>() == 3);
  check_that_sim_goes_on();
}

// The sanitizers lay out stacks and frames in their own way.
#if !defined(TD_ADDRESS_SANITIZER) && !defined(TD_THREAD_SANITIZER)
TEST_CASE("A local array that is larger than the stack is reported, and damages nothing") {
  const Tensor out = sim_zeros({4});
  const std::string text = async_error([&] { launch<large_local>(block_of(4), out); });
  CHECK(text.find("thread (1,0,0) of block (0,0,0) needs more stack than a thread of sim has") !=
        std::string::npos);
  CHECK(out.cpu().sum().item<int>() == 3);
  check_that_sim_goes_on();
}
#endif

TEST_CASE("A deadlock of an unobserved launch is an error of its stream, and sim goes on") {
  const Tensor out = sim_zeros({64});
  const std::string text = async_error([&] { launch<half_a_warp>(block_of(32), out); });
  CHECK(text.find(place_of_mark("half_a_warp") + ": lanes 0-15 of warp 0") != std::string::npos);
  check_that_sim_goes_on();
}

TEST_CASE("A fault in many threads is one finding that counts them") {
  const Tensor in = sim_zeros({1024}), out = sim_zeros({1024});
  const auto reports =
      simt::observe({}, [&] { launch<divide>({.grid = 1, .block = 1024}, in, out); });
  REQUIRE(reports.size() == 1);
  REQUIRE(reports[0].findings.size() == 1);
  CHECK(reports[0].findings[0].count == 1024);
  check_that_sim_goes_on();
}

TEST_CASE("An exception in a kernel ends its thread") {
  const Tensor out = sim_zeros({4});
  CHECK(findings_of([&] { launch<throws>(block_of(4), out); }) ==
        std::vector<std::string>{"thread (1,0,0) of block (0,0,0) throws an exception: no\n"
                                 "  device code has no exceptions: nvcc refuses it"});
  CHECK(out.cpu().sum().item<int>() == 3);
}
