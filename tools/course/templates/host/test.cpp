// Tests of EXERCISE_NAME.
// TODO: replace the example's tests by those of your task. Try odd sizes, empty input, negative
// numbers and all devices, as far as they apply.
#include "check.h"
#include "exercises.h"

TEST_CASE("EXERCISE_NAME of 1 3 2, the example", "[EXERCISE_NAME]") {
  check::expect_close(EXERCISE_NAME({1, 3, 2}), std::vector<float>{1, 3, 3}, 0,
                      "EXERCISE_NAME of 1 3 2");
}

TEST_CASE("EXERCISE_NAME of negative numbers", "[EXERCISE_NAME]") {
  check::expect_close(EXERCISE_NAME({-5, -7, -2}), std::vector<float>{-5, -5, -2}, 0,
                      "EXERCISE_NAME of -5 -7 -2");
}

TEST_CASE("EXERCISE_NAME of elements that fall, whatever the size", "[EXERCISE_NAME]") {
  for (const int n : check::odd_sizes()) {
    std::vector<float> values, expected;
    for (int i = 0; i < n; ++i) {
      values.push_back(static_cast<float>(n - i));
      expected.push_back(static_cast<float>(n));
    }
    check::expect_close(EXERCISE_NAME(values), expected, 0,
                        "EXERCISE_NAME of " + std::to_string(n) + " elements");
  }
}

TEST_CASE("EXERCISE_NAME of nothing", "[EXERCISE_NAME]") {
  check::expect(EXERCISE_NAME({}).empty(), "no elements have no largest: expected none");
}
