// Tests of launch_shape.
#include <sstream>

#include "check.h"
#include "check_programs.h"
#include "kernels.h"

namespace {

/// Arguments: rows, columns, the block, and the error that is expected.
const check::Program kProgram("launch_shape", [](const std::vector<int>& arguments) {
  const int rows = arguments[0], cols = arguments[1], error = arguments[4];
  std::vector<float> out(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols), -7);
  const int got = fill_matrix(out.data(), rows, cols, arguments[2], arguments[3]);
  std::ostringstream problem;
  if (got != error) problem << "expected error " << error << ", and it returned " << got;
  if (error && got == error && fill_matrix(out.data(), 1, 1, 32, 1) != 0)
    problem << "the next call has a valid launch, and returns the error of the one before: "
               "cudaGetLastError() resets it";
  for (std::size_t i = 0; i < out.size() && error == 0 && problem.str().empty(); ++i)
    if (out[i] != static_cast<float>(i))
      problem << "element " << i << ": expected " << i << ", got " << out[i];
  return problem.str();
});

/// A grid or a block as a profile prints it.
std::string shape(int x, int y) {
  std::ostringstream text;
  text << "(" << x;
  if (y > 1) text << "," << y;
  text << ")";
  return text.str();
}

void run(int rows, int cols, int block_x, int block_y, int grid_x, int grid_y, int error = 0) {
  std::ostringstream what, launch;
  what << rows << " rows and " << cols << " columns in blocks of (" << block_x << ", " << block_y
       << ")";
  launch << "fill_index: grid " << shape(grid_x, grid_y) << ", block " << shape(block_x, block_y);
  kProgram.check(what.str(), {rows, cols, block_x, block_y, error},
                 {.launch = error ? "" : launch.str()});
}

constexpr int kInvalidConfiguration = 9;  // as driver_types.h numbers it

}  // namespace

TEST_CASE("the matrix of 100 rows and 40 columns", "[launch_shape]") { run(100, 40, 32, 8, 2, 13); }

TEST_CASE("a matrix that fills whole blocks", "[launch_shape]") { run(8, 32, 32, 8, 1, 1); }

TEST_CASE("a matrix with many columns in blocks of another size", "[launch_shape]") {
  run(31, 1023, 64, 4, 16, 8);
}

TEST_CASE("more than 65,535 blocks of rows", "[launch_shape]") { run(70000, 3, 3, 1, 1, 65535); }

TEST_CASE("more than 65,535 blocks of columns", "[launch_shape]") { run(2, 70000, 1, 2, 70000, 1); }

TEST_CASE("a block of 2,048 threads, which CUDA refuses", "[launch_shape]") {
  run(33, 31, 64, 32, 1, 2, kInvalidConfiguration);
}
