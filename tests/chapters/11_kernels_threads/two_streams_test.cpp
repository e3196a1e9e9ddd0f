// Tests of two_streams.
#include <sstream>

#include "check.h"
#include "check_programs.h"
#include "kernels.h"

namespace {

/// Arguments: n.
const check::Program kProgram("two_streams", [](const std::vector<int>& arguments) {
  std::vector<float> x;
  for (int i = 0; i < arguments[0]; ++i) x.push_back(static_cast<float>(i + 1));
  const int error = double_array(x.data(), arguments[0]);
  std::ostringstream problem;
  if (error) problem << "it returned the error " << error;
  for (std::size_t i = 0; i < x.size() && !error && problem.str().empty(); ++i)
    if (x[i] != 2 * static_cast<float>(i + 1))
      problem << "index " << i << ": expected " << 2 * (i + 1) << ", got " << x[i];
  return problem.str();
});

}  // namespace

TEST_CASE("1,000 elements in two streams that overlap", "[two_streams]") {
  // The three operations of the second half, at least.
  kProgram.check("n = 1000", {1000}, {.launch = "double_elements", .overlaps = 3});
}

TEST_CASE("halves of one element, and of 1,023", "[two_streams]") {
  kProgram.check("n = 2", {2}, {.overlaps = 3});
  kProgram.check("n = 2046", {2046}, {.overlaps = 3});
}

TEST_CASE("halves that need several blocks", "[two_streams]") {
  kProgram.check("n = 5000", {5000}, {.overlaps = 3});
}
