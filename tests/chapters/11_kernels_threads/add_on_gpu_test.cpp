// Tests of add_on_gpu.
#include <sstream>

#include "check.h"
#include "check_programs.h"
#include "kernels.h"

namespace {

// As driver_types.h numbers them.
constexpr int kInvalidConfiguration = 9, kNoDevice = 100;

/// Arguments: n, threads, and the error that is expected.
const check::Program kProgram("add_on_gpu", [](const std::vector<int>& arguments) {
  const int n = arguments[0], threads = arguments[1], error = arguments[2];
  std::vector<float> a, b, c(static_cast<std::size_t>(n), -7);
  for (int i = 0; i < n; ++i) {
    a.push_back(static_cast<float>(i % 11));
    b.push_back(static_cast<float>(2 * i));
  }
  const int got = add_on_gpu(a.data(), b.data(), c.data(), n, threads);
  std::ostringstream problem;
  if (got != error) problem << "expected error " << error << ", and it returned " << got;
  if (error == kInvalidConfiguration && got == error &&
      add_on_gpu(a.data(), b.data(), c.data(), n, 32) != 0)
    problem << "the next call has a valid launch, and returns the error of the one before: "
               "cudaGetLastError() resets it";
  for (std::size_t i = 0; i < c.size() && error == 0 && problem.str().empty(); ++i)
    if (c[i] != a[i] + b[i])
      problem << "index " << i << ": expected " << a[i] + b[i] << ", got " << c[i];
  return problem.str();
});

void run(int n, int threads, int error = 0, const std::string& environment = "") {
  std::ostringstream what;
  what << "n = " << n << " with blocks of " << threads;
  if (!environment.empty()) what << " and " << environment;
  kProgram.check(what.str(), {n, threads, error},
                 {.launch = error ? "" : "add_elements",
                  .shape = error ? "" : "block (" + std::to_string(threads) + ")",
                  .environment = environment});
}

}  // namespace

TEST_CASE("host code for 1,024 elements in blocks of 256", "[add_on_gpu]") { run(1024, 256); }

TEST_CASE("host code for sizes that do not fill the last block", "[add_on_gpu]") {
  run(1, 128);
  run(1023, 96);
}

TEST_CASE("a launch that CUDA refuses", "[add_on_gpu]") { run(33, 2048, kInvalidConfiguration); }

TEST_CASE("a machine without a device", "[add_on_gpu]") {
  run(31, 64, kNoDevice, "TD_CUDA_DEVICES=0");
}
