// Statistics, bases, reasons, verdicts and the plan, on numbers that can be checked by hand.
#include <set>

#include "catch.h"
#include "report/baseline.h"
#include "report/compare.h"
#include "report/merge.h"
#include "report/plan.h"
#include "report/statistics.h"
#include "report/text.h"
#include "results.h"

namespace report {
namespace {

const Case kOneThread = make_case("lenet/cpu/1thread", "cpu", 1, 1);
const Case kCpu = make_case("lenet/cpu", "cpu");
const Case kSim = make_case("lenet/sim", "sim", 1, 1);
const Case kTwo = make_case("lenet/sim:2/ddp", "sim", 2);

TEST_CASE("quantiles interpolate between order statistics, as NumPy's default does") {
  CHECK(quantile({3, 1, 2}, 0.5) == 2);
  CHECK(quantile({4, 1, 2, 3}, 0.5) == 2.5);
  CHECK(quantile({10, 20, 30, 40, 50}, 0.1) == Approx(14));
  CHECK(quantile({10, 20, 30, 40, 50}, 0.9) == Approx(46));
  CHECK(quantile({7}, 0.9) == 7);
  CHECK_THROWS_AS(quantile({}, 0.5), std::invalid_argument);
}

TEST_CASE("the spread is half of the middle 80 % over the median") {
  const Result result = make_result(kSim, {10, 20, 30, 40, 50});
  CHECK(time_with_transfers(result).median == 30);
  CHECK(time_with_transfers(result).relative() == Approx((46 - 14) / 2.0 / 30));
  CHECK(step_time(result).median == 15);
  CHECK(per_second(result) == Approx(64 / 30.0));
}

TEST_CASE("a spread above 10 % is a reason to measure again") {
  const Result noisy = make_result(kSim, {10, 20, 30}), quiet = make_result(kCpu, {10, 10.1, 10.2});
  CHECK(noise_warning(make_report({quiet})).empty());
  CHECK_THAT(
      noise_warning(make_report({quiet, noisy})),
      Catch::Contains("The spread of 1 of 2 cases is above 10 %") && Catch::Contains("--rounds"));
}

TEST_CASE("flops per second come from the step without transfers") {
  Case product = make_case("matmul/sim", "sim");
  product.unit = "flops";
  CHECK(per_second(make_result(product, {8})) == Approx(64 / 4.0));
}

TEST_CASE("speed-up compares throughputs, and efficiency divides by the devices") {
  const Result one = make_result(kSim, {24}), two = make_result(kTwo, {16});
  CHECK(speed_up(two, one) == Approx(1.5));
  CHECK(efficiency(two, one) == Approx(0.75));
  Case twice_the_work = kTwo;
  twice_the_work.per_step = 128;
  CHECK(speed_up(make_result(twice_the_work, {24}), one) == Approx(2));
}

TEST_CASE("a base is the cpu with all threads, or one device with the same settings") {
  Case half = make_case("lenet/sim/amp:bfloat16", "sim", 1, 1);
  half.amp = "bfloat16";
  Case processes = make_case("lenet/cpu:2/ddp", "cpu", 2, 2);
  const Report report =
      make_report({make_result(kOneThread, {20}), make_result(kCpu, {12}), make_result(half, {9}),
                   make_result(kSim, {24}), make_result(kTwo, {16}), make_result(processes, {11})});
  const auto base_name = [&](int i) {
    return base_of(report, report.results[static_cast<std::size_t>(i)])->what.name;
  };
  CHECK(base_name(0) == "lenet/cpu");
  CHECK(base_name(1) == "lenet/cpu");
  CHECK(base_name(2) == "lenet/cpu");
  CHECK(base_name(3) == "lenet/cpu");
  CHECK(base_name(4) == "lenet/sim");
  CHECK(base_name(5) == "lenet/cpu/1thread");
}

TEST_CASE("a result has no base on another machine, in another framework or without samples") {
  Result elsewhere = make_result(kCpu, {12}), pytorch = elsewhere, failed = make_result(kCpu, {});
  elsewhere.machine = "server";
  pytorch.framework = "PyTorch 2.6";
  const Report report = make_report({elsewhere, pytorch, failed, make_result(kSim, {24})});
  CHECK(base_of(report, report.results[3]) == nullptr);
}

TEST_CASE("losses are sorted, and several devices lose what they compute beyond their share") {
  Result one = make_result(kSim, {20}), two = make_result(kTwo, {15});
  one.parts = Parts{20, 18, 1, 1, 0, 0};
  two.parts = Parts{15, 11, 0.5, 2.5, 0.75, 0.25};
  const Report report = make_report({make_result(kCpu, {10}), one, two});
  const std::vector<Loss> all = losses(report.results[2], &report.results[1]);
  REQUIRE(all.size() == 5);
  CHECK(all[0].name == "waiting");
  CHECK(all[0].share == Approx(2.5 / 15));
  CHECK(all[1].name == "longer computation");
  CHECK(all[1].seconds == Approx(11 - 18 / 2.0));
  CHECK(
      why_not_faster(report, report.results[2], "x") ==
      "2 x sim, DDP: 15.0 s per step, 11.0 s of it (73 %) computation. Lost to waiting 2.50 s (17 "
      "%), longer computation 2.00 s (13 %), communication 750 ms (5 %), copies 500 ms (3 %), "
      "launches 250 ms (2 %). The device has nothing to do, because the host or another device "
      "works.");
  CHECK_THAT(
      why_not_faster(report, report.results[1], "x"),
      Catch::Contains("The computation alone takes longer than a step on cpu, 2 threads (10.0 "
                      "s). This sim device computes on 1 core of the cpu."));
}

TEST_CASE("a device that reaches the expected speed-up needs no reason") {
  Result one = make_result(kSim, {20}), two = make_result(kTwo, {10.5});
  two.parts = Parts{10.5, 9, 1, 0.5, 0, 0};
  const Report report = make_report({make_result(kCpu, {30}), one, two});
  CHECK(why_not_faster(report, report.results[2], "x").empty());
  CHECK(why_not_faster(report, report.results[1], "x").empty());
}

TEST_CASE("ranges that overlap are the same; the verdict needs more than a smaller median") {
  const Result before = make_result(kSim, {10, 11, 12});
  CHECK(judge(make_result(kSim, {7, 8, 9}), before) == Verdict::faster);
  CHECK(judge(make_result(kSim, {13, 14, 15}), before) == Verdict::slower);
  CHECK(judge(make_result(kSim, {9, 10, 11}), before) == Verdict::same);
  CHECK(std::string(word(Verdict::same)) == "the same within the spread");
}

TEST_CASE("a headline whose difference lies within the spread says so") {
  Case twice_the_work = kTwo;
  twice_the_work.per_step = 128;
  const Report report =
      make_report({make_result(kCpu, {10, 11, 12}), make_result(kSim, {9, 10, 11}),
                   make_result(twice_the_work, {19, 21, 22})});
  const std::vector<Headline> all = headlines(report);
  REQUIRE(all.size() == 2);
  CHECK(sentence(all[0], "x") ==
        "LeNet, training step: sim is as fast as cpu, 2 threads within the spread (10.0 s against "
        "11.0 s per step).");
  CHECK(
      sentence(all[1], "x") ==
      "LeNet, training step: 2 x sim, DDP is as fast as sim within the spread (21.0 s against 10.0 "
      "s per step).");
  const Report clear = make_report({make_result(kCpu, {10, 11, 12}), make_result(kSim, {5, 6, 7})});
  CHECK_THAT(sentence(headlines(clear).at(0), "x"),
             Catch::Contains("sim is 1.83 times as fast as"));
}

TEST_CASE("changes pair cases by name, and skip what one of the reports lacks") {
  const Report before = make_report({make_result(kSim, {10}), make_result(kCpu, {})});
  const Report now =
      make_report({make_result(kCpu, {5}), make_result(kTwo, {5}), make_result(kSim, {8})});
  const std::vector<Change> all = changes(before, now);
  REQUIRE(all.size() == 1);
  CHECK(all[0].now->what.name == "lenet/sim");
  CHECK(all[0].difference == Approx(-0.2));
}

TEST_CASE("losses of two frameworks agree within 1 %, in half precision within 5 %") {
  Result theirs = make_result(kCpu, {18});
  theirs.framework = "PyTorch 2.6";
  theirs.samples[0].loss = 2.51;
  Report report = make_report({make_result(kCpu, {12}), theirs});
  REQUIRE(pairs(report).size() == 1);
  CHECK(pairs(report)[0].ratio == Approx(1.5));
  CHECK(pairs(report)[0].losses_agree());
  report.results[1].samples[0].loss = 2.6;
  CHECK_FALSE(pairs(report)[0].losses_agree());
  report.results[0].what.amp = "bfloat16";
  CHECK(pairs(report)[0].losses_agree());
  report.results[1].samples[0].loss.reset();
  CHECK(pairs(report)[0].losses_agree());
}

TEST_CASE("merged machines are named after their files, or else their directories") {
  const Report one = make_report({make_result(kSim, {1})});
  const auto names = [&](const std::vector<std::string>& files) {
    std::vector<std::pair<std::string, Report>> all;
    for (const std::string& file : files) all.emplace_back(file, one);
    std::vector<std::string> found;
    for (const Machine& machine : merged(all).machines) found.push_back(machine.name);
    return found;
  };
  using Names = std::vector<std::string>;
  CHECK(names({"a/laptop.json", "b/h100.json"}) == Names{"laptop", "h100"});
  CHECK(names({"/laptop/time.json", "/h100/time.json"}) == Names{"laptop", "h100"});
  CHECK(names({"/x/time.json", "/x/time.json"}) == Names{"x", "x 2"});
  CHECK(names({"/x/time.json"}) == Names{"this machine"});
  CHECK(merged({{"a.json", one}, {"b.json", one}}).results[1].machine == "b");
}

TEST_CASE("each round holds every case once, and begins at another one") {
  for (const int rounds : {1, 3, 5})
    for (const std::size_t count : {1u, 2u, 7u, 40u}) {
      std::set<std::size_t> first;
      for (int round = 0; round < rounds; ++round) {
        const auto order = order_of_round(count, round, rounds);
        CHECK(std::set<std::size_t>(order.begin(), order.end()).size() == count);
        first.insert(order[0]);
      }
      CHECK(first.size() == std::min<std::size_t>(count, static_cast<std::size_t>(rounds)));
    }
}

TEST_CASE("numbers have three digits and the unit that fits") {
  CHECK(time_text(0.0123) == "12.3 ms");
  CHECK(time_text(0.00099999) == "1.00 ms");
  CHECK(time_text(1.5e-7) == "150 ns");
  CHECK(number_text(9.996) == "10.0");
  CHECK(number_text(99.96) == "100");
  CHECK(rate_text(2440, "samples") == "2440 samples");
  CHECK(rate_text(2.44e6, "samples") == "2.44 M samples");
  CHECK(rate_text(12.3e9, "bytes") == "12.3 GB");
  CHECK(duration_text(200) == "3 min 20 s");
  CHECK(tied("12.3 ms (7 %) in 3 sets", "_") == "12.3_ms (7_%) in 3 sets");
  CHECK(rounds_text(7, 0.3) == "7 rounds of 0.3 s");
  CHECK(rounds_text(1, 2) == "1 round of 2 s");
  CHECK(change_text(0.25) == "+25 %");
  CHECK(change_text(-0.001) == "0 %");
}

}  // namespace
}  // namespace report
