// Observed launches: what the machine reports to an observer, and the reports of observe().
#include "simt/observe.h"

#include "catch.h"
#include "kernels.h"
#include "launch/launch.h"
#include "marks.h"
#include "td/td.h"

using namespace td;
using simt::launch;

namespace {

std::vector<simt::KernelReport> observed(const std::function<void()>& work) {
  return simt::observe({}, work);
}

}  // namespace

TEST_CASE("A correct kernel has no findings, and its accesses are counted by line") {
  const int n = 1024;
  const Tensor a = ones({n}).to("sim:0"), b = ones({n}).to("sim:0"), out = empty_like(a);
  const auto reports = observed([&] { launch<::add>({.grid = 4, .block = 256}, a, b, out, n); });
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].kernel == "add");
  CHECK(reports[0].findings.empty());
  CHECK(out.cpu().equal(full({n}, 2.0)));
}

TEST_CASE("A block sum with barriers has no findings in any order") {
  const Tensor in = ones({1000}).to("sim:0"), out = zeros({4}).to("sim:0");
  for (const auto order : {simt::Order::kForward, simt::Order::kReversed, simt::Order::kRandom}) {
    const auto reports = simt::observe(
        {.order = order}, [&] { launch<block_sum>({.grid = 4, .block = 256}, in, out, 1000); });
    REQUIRE(reports.size() == 1);
    for (const auto& finding : reports[0].findings) UNSCOPED_INFO(finding.text);
    CHECK(reports[0].findings.empty());
    CHECK(out.cpu()[0].item<float>() == 256);
  }
}

TEST_CASE(
    "An access past the bytes that the launch gave to shared memory is reported by its name") {
  const Tensor in = ones({100}, kDouble).to("sim:0"), out = empty_like(in);
  const auto reports = observed([&] {
    launch<dynamic_reverse>({.grid = 1, .block = 128, .shared = 99 * sizeof(double)}, in, out, 100);
  });
  REQUIRE(reports.size() == 1);
  REQUIRE(reports[0].first_fault());
#ifdef __clang__  // whose debug information has no extern variables
  const char* const expected = "writes dynamic shared memory[792]";
#else
  const char* const expected = "writes any_name_of_its_own[99]";
#endif
  CHECK_THAT(reports[0].first_fault()->text, Catch::Contains(expected));
}

TEST_CASE("An access past the end of a tensor is reported with its name and the line") {
  const Tensor a = ones({1000}).to("sim:0"), out = empty_like(a);
  const auto reports = observed([&] { launch<::add>({.grid = 4, .block = 256}, a, a, out, 1024); });
  REQUIRE(reports.size() == 1);
  REQUIRE_FALSE(reports[0].findings.empty());
  const std::string begin = place_of_mark("add") + ": reads a[1000]";
  CHECK(reports[0].findings[0].text.substr(0, begin.size()) == begin);
}
