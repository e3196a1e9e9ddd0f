// Tests of step_or_skip: the sequence of scales against a table computed by hand, and the
// optimizer's steps.
#include "gradients.h"

namespace {

struct Run {
  td::Tensor parameter = with_gradient({1}, "cpu");
  td::optim::SGD optimizer{td::TensorList{parameter}, td::optim::SGDOptions(1)};
  LossScale scale;

  /// Steps with these overflows ('!' is one, '.' none) and returns the scales after each.
  std::vector<double> walk(const std::string& steps) {
    std::vector<double> scales;
    for (const char step : steps) {
      const bool overflow = step == '!';
      const bool stepped = step_or_skip(optimizer, overflow, scale);
      check::expect(stepped != overflow, overflow ? "a step with an overflow counts as made"
                                                  : "a step without an overflow counts as skipped");
      scales.push_back(double{scale.scale});
    }
    return scales;
  }
  double steps_made() const { return -check::values(parameter)[0]; }  // each subtracts 1
};

}  // namespace

TEST_CASE("two steps, an overflow, two steps", "[step_or_skip]") {
  Run run;
  run.scale.scale = 4;
  run.scale.growth_interval = 2;
  check::expect_close(run.walk("..!.."), std::vector<double>{4, 8, 4, 4, 8}, 0, "the scales");
}

TEST_CASE("the optimizer steps unless there was an overflow", "[step_or_skip]") {
  Run run;
  run.walk(".!.!!..");
  check::expect_close(run.steps_made(), 4, 0, "steps that the optimizer made in .!.!!..");
}

TEST_CASE("an overflow leaves the parameters finite", "[step_or_skip]") {
  for (const td::Device device : check::devices()) {
    const td::Tensor parameter = with_gradient({kInf, kNaN, 1}, device);
    td::optim::Adam optimizer(td::TensorList{parameter}, td::optim::AdamOptions(0.1));
    LossScale scale;
    step_or_skip(optimizer, true, scale);
    check::expect_close(check::values(parameter), std::vector<double>{0, 0, 0}, 0,
                        "the parameter after an overflow on " + device.str());
    check::expect(optimizer.state().empty(), "the skipped step left its mark in Adam's averages");
  }
}

TEST_CASE("an overflow restarts the count of steps", "[step_or_skip]") {
  Run run;
  run.scale.scale = 8;
  run.scale.growth_interval = 3;
  // Without an end of the counting, the fourth step would make the scale grow.
  check::expect_close(run.walk("..!..."), std::vector<double>{8, 8, 4, 4, 4, 8}, 0,
                      "the scales after ..!...");
}

TEST_CASE("growth restarts the count of steps, too", "[step_or_skip]") {
  Run run;
  run.scale.scale = 1;
  run.scale.growth_interval = 3;
  check::expect_close(run.walk("......."), std::vector<double>{1, 1, 2, 2, 2, 4, 4}, 0,
                      "the scales of seven good steps");
}

TEST_CASE("other factors", "[step_or_skip]") {
  Run run;
  run.scale.scale = 4;
  run.scale.growth_interval = 2;
  run.scale.backoff_factor = 0.25f;
  check::expect_close(run.walk("..!"), std::vector<double>{4, 8, 2}, 0, "growth 2, back off 1/4");
  run.scale.growth_factor = 16;
  run.scale.growth_interval = 1;
  check::expect_close(run.walk("."), std::vector<double>{32}, 0, "growth 16");
}

TEST_CASE("the scale may fall below 1", "[step_or_skip]") {
  Run run;
  run.scale.scale = 2;
  check::expect_close(run.walk("!!!"), std::vector<double>{1, 0.5, 0.25}, 0, "three overflows");
}

TEST_CASE("the scale does not grow to infinity", "[step_or_skip]") {
  Run run;
  run.scale.scale = 1e38f;
  run.scale.growth_factor = 16;
  run.scale.growth_interval = 1;
  const double before = double{run.scale.scale};
  check::expect_close(run.walk(".."), std::vector<double>{before, before}, 0,
                      "a scale of 1e38 that would grow 16 times");
  check::expect(run.scale.growth_tracker == 0, "the counting did not begin again");
  check::expect_close(run.steps_made(), 2, 0, "steps made");
}

TEST_CASE("growth_tracker holds the count", "[step_or_skip]") {
  Run run;
  run.scale.growth_interval = 3;
  const auto expect_count = [&](const std::string& step, std::int64_t expected,
                                const std::string& when) {
    run.walk(step);
    check::expect(run.scale.growth_tracker == expected,
                  "growth_interval 3, growth_tracker " + when + ": expected " +
                      std::to_string(expected) + ", got " +
                      std::to_string(run.scale.growth_tracker));
  };
  expect_count(".", 1, "after 1 step");
  expect_count(".", 2, "after 2 steps");
  expect_count("!", 0, "after an overflow");
  expect_count("..", 2, "after 2 more steps");
  expect_count(".", 0, "after the third, with which the scale grows");
  run.scale.scale = 2e38f;
  expect_count("...", 0, "after 3 steps with a scale that cannot grow: the count begins again");
  expect_count(".", 1, "one step later");
  run.scale.growth_tracker = 2;
  run.scale.scale = 4;
  check::expect_close(run.walk("."), std::vector<double>{8}, 0,
                      "growth_interval 3: the scale 4 after a step that began with growth_tracker "
                      "2");
}
