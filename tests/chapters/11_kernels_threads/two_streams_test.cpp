// Tests of two_streams.
#include <sstream>

#include "check.h"
#include "check_programs.h"
#include "kernels.h"

namespace {

/// Arguments: n, and the error that is expected.
const check::Program kProgram("two_streams", [](const std::vector<int>& arguments) {
  std::vector<float> x;
  for (int i = 0; i < arguments[0]; ++i) x.push_back(static_cast<float>(i + 1));
  const int error = double_array(x.data(), arguments[0]);
  std::ostringstream problem;
  if (error != arguments[1])
    problem << "expected error " << arguments[1] << ", and it returned " << error;
  for (std::size_t i = 0; i < x.size() && !error && problem.str().empty(); ++i)
    if (x[i] != 2 * static_cast<float>(i + 1))
      problem << "index " << i << ": expected " << 2 * (i + 1) << ", got " << x[i];
  return problem.str();
});

}  // namespace

TEST_CASE("1,000 elements in two streams that overlap", "[two_streams]") {
  // The three operations of the second half, at least.
  kProgram.check("n = 1000", {1000, 0}, {.launch = "double_elements: ", .overlaps = 3});
}

TEST_CASE("halves of one element, and of 1,023", "[two_streams]") {
  kProgram.check("n = 2", {2, 0}, {.overlaps = 3});
  kProgram.check("n = 2046", {2046, 0}, {.overlaps = 3});
}

TEST_CASE("two streams on a machine without a device", "[two_streams]") {
  constexpr int kNoDevice = 100;  // as driver_types.h numbers it
  kProgram.check("n = 32 and no device", {32, kNoDevice}, {.environment = "TD_CUDA_DEVICES=0"});
}
