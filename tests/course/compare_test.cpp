// Tests of the checker's comparison: it must not accept NaN, infinities or unwritten outputs.
#include "compare.h"

#include <cmath>
#include <limits>

#include "catch.h"

using check::difference;

namespace {
const double kNaN = std::numeric_limits<double>::quiet_NaN();
const double kInf = std::numeric_limits<double>::infinity();
}  // namespace

TEST_CASE("equal numbers do not differ") {
  CHECK(difference({1, 2, 3}, {1, 2, 3}, 0).empty());
  CHECK(difference({}, {}, 0).empty());
  CHECK(difference({1.001}, {1}, 0.01).empty());
}

TEST_CASE("the first wrong index, both values and the count are reported") {
  CHECK(difference({1, 0, 0}, {1, 2, 3}, 0.1) ==
        "index 1: expected 2, got 0 (2 of 3 elements are wrong)");
  CHECK(difference({1.2}, {1}, 0.1) == "index 0: expected 1, got 1.2");
}

TEST_CASE("a relative tolerance grows with the expected number") {
  CHECK(difference({1010, -1010}, {1000, -1000}, 0, 0.01).empty());
  CHECK(difference({1011}, {1000}, 1, 0.01) == "index 0: expected 1000, got 1011");
  CHECK(difference({0.5}, {0}, 1, 0.01).empty());
  CHECK_FALSE(difference({kNaN}, {1}, 0, 1e30).empty());
  CHECK_FALSE(difference({1}, {kNaN}, 0, kInf).empty());
}

TEST_CASE("a wrong length is reported, whatever the elements are") {
  CHECK(difference({1, 2}, {1, 2, 3}, 0.1) == "expected 3 elements, got 2");
}

TEST_CASE("NaN is never right, on either side, at any tolerance") {
  CHECK(difference({kNaN}, {1}, 1e30).find("not a number") != std::string::npos);
  CHECK_FALSE(difference({1}, {kNaN}, 1e30).empty());
  CHECK_FALSE(difference({kNaN}, {kNaN}, kInf).empty());
  CHECK_FALSE(difference({1}, {1}, kNaN).empty());
}

TEST_CASE("an infinity equals itself only") {
  CHECK(difference({kInf}, {kInf}, 0).empty());
  CHECK_FALSE(difference({kInf}, {-kInf}, kInf).empty());
  CHECK_FALSE(difference({1}, {kInf}, kInf).empty());
  CHECK_FALSE(difference({kInf}, {1}, 1e300).empty());
}

TEST_CASE("an output that was not written is recognized") {
  const auto out = check::poisoned(3);
  const std::string text = difference(std::vector<double>(out.begin(), out.end()), {0, 0, 0}, 1e-3);
  CHECK(text.find("this element was never written") != std::string::npos);
  CHECK(text.find("3 of 3") != std::string::npos);
}

TEST_CASE("numbers that differ after the seventh digit are printed in full") {
  CHECK(difference({276.00001}, {276}, 0) == "index 0: expected 276, got 276.00000999999997");
  CHECK(difference({277}, {276}, 0) == "index 0: expected 276, got 277");
}
