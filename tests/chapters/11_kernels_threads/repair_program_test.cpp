// Tests of repair_program.
#include <sstream>

#include "check.h"
#include "check_programs.h"
#include "kernels.h"

namespace {

// As driver_types.h numbers them.
constexpr int kInvalidConfiguration = 9, kNoDevice = 100;
constexpr int kMostBlocks = 65535;  // in .y

/// Arguments: rows, cols, block_rows, and the error that is expected.
const check::Program kProgram("repair_program", [](const std::vector<int>& arguments) {
  const int rows = arguments[0], cols = arguments[1], block_rows = arguments[2];
  const int error = arguments[3];
  const auto size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  std::vector<float> matrix, scale;
  for (std::size_t i = 0; i < size; ++i) matrix.push_back(static_cast<float>(i % 13 + 1));
  for (int c = 0; c < cols; ++c) scale.push_back(static_cast<float>(c % 7 + 2));
  const std::vector<float> before = matrix;
  const int got = scale_columns(matrix.data(), scale.data(), rows, cols, block_rows);
  std::ostringstream problem, wrong;
  for (std::size_t i = 0; i < size && wrong.str().empty(); ++i) {
    const std::size_t c = i % static_cast<std::size_t>(cols);
    if (matrix[i] != before[i] * scale[c])
      wrong << "row " << i / static_cast<std::size_t>(cols) << ", column " << c << ": expected "
            << before[i] * scale[c] << ", got " << matrix[i];
  }
  // Several launches can have more rows than the largest grid.
  const bool in_parts = got == 0 && rows > kMostBlocks && wrong.str().empty();
  if (got != error && !in_parts) {
    problem << "expected error " << error << ", and it returned " << got;
    if (got == 0 && error == kInvalidConfiguration)
      problem
          << ": a launch returns no error, cudaGetLastError() does. CUDA refuses blocks of more "
             "than 1,024 threads, and more than 65,535 blocks in .y";
  }
  if (error == kInvalidConfiguration && got == error &&
      scale_columns(matrix.data(), scale.data(), 1, cols, 1) != 0)
    problem << "the next call has a valid launch, and returns the error of the one before: "
               "cudaGetLastError() resets it";
  if (error == 0 && problem.str().empty()) problem << wrong.str();
  return problem.str();
});

void run(int rows, int cols, int block_rows, int error = 0, const std::string& environment = "") {
  std::ostringstream what;
  what << rows << " x " << cols << " elements in blocks of 32 x " << block_rows;
  if (!environment.empty()) what << " and " << environment;
  const std::string block = "block (32" + (block_rows > 1 ? ',' + std::to_string(block_rows) : "");
  kProgram.check(what.str(), {rows, cols, block_rows, error},
                 {.launch = error ? "" : "scale_elements",
                  .shape = error ? "" : block + ')',
                  .environment = environment});
}

}  // namespace

TEST_CASE("a matrix of whole blocks", "[repair_program]") { run(16, 96, 8); }

TEST_CASE("rows and columns that do not fill the last blocks", "[repair_program]") {
  run(20, 100, 8);
  run(1, 1, 1);
  run(33, 31, 32);
}

TEST_CASE("blocks that are too large", "[repair_program]") {
  run(64, 64, 64, kInvalidConfiguration);
}

TEST_CASE("a grid that is too large", "[repair_program]") {
  run(kMostBlocks + 2, 1, 1, kInvalidConfiguration);
}

TEST_CASE("columns to be scaled on a machine without a device", "[repair_program]") {
  run(4, 40, 4, kNoDevice, "TD_CUDA_DEVICES=0");
}
