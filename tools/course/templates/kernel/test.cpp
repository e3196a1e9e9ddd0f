// Tests of EXERCISE_NAME.
// TODO: replace the example's tests by those of your task. Judge results and counts, never times.
#include "check_kernels.h"
#include "exercises.h"

namespace simt = td::simt;

namespace {

/// Runs the kernel on n elements in blocks of 256 threads, and returns the report of the launch.
simt::KernelReport run_example(std::size_t n) {
  const std::vector<float> in = check::small_numbers(n);
  std::vector<double> expected;
  for (const float value : in) expected.push_back(2 * value);
  const auto size = static_cast<std::int64_t>(n);
  const auto work = [&](td::Device device) -> std::vector<td::Tensor> {
    const td::Tensor input = check::tensor_of(in, device);
    const td::Tensor output = check::poisoned_output({size}, device);
    simt::launch<EXERCISE_NAME>({dim3(check::blocks_for(size, 256)), dim3(256)}, input, output,
                                static_cast<int>(n));
    return {output, input};  // The argument stays as it is.
  };
  return check::run_kernels("n = " + std::to_string(n), work,
                            {expected, {in.begin(), in.end()}})[0];
}

}  // namespace

TEST_CASE("EXERCISE_NAME of 1,024 elements in four blocks", "[EXERCISE_NAME]") {
  run_example(1024);
}

TEST_CASE("EXERCISE_NAME of sizes that do not fill the last block", "[EXERCISE_NAME]") {
  for (const int n : check::odd_sizes()) run_example(static_cast<std::size_t>(n));
}

TEST_CASE("EXERCISE_NAME: neighboring threads access neighboring elements", "[EXERCISE_NAME]") {
  check::expect_coalesced(run_example(65536));
}
