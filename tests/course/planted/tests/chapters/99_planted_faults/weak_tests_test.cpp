// Any exception will do here, even a stub's: the checker must see the stub nevertheless.
#include "check.h"
#include "exercises.h"

TEST_CASE("negative numbers are refused", "[weak_tests]") { CHECK_THROWS(weak_tests(-1)); }
