// A right test of a wrong solution.
#include "check.h"
#include "exercises.h"

TEST_CASE("one more", "[broken_solution]") {
  check::expect_close(broken_solution(1), 2, 0, "broken_solution(1)");
}
