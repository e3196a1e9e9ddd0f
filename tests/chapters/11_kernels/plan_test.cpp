// Tests of plan. The expected figures are computed by hand from the table of compute capabilities
// in the CUDA C++ Programming Guide.
#include "check_tensors.h"
#include "exercises.h"

namespace simt = td::simt;

namespace {

/// The expected plan of one problem.
struct Expected {
  const char* gpu;
  Problem problem;
  unsigned blocks;
  int blocks_per_sm;
  const char* limit;
  double occupancy;
};

std::string text(const Expected& e) {
  const Problem& p = e.problem;
  return std::string(e.gpu) + ": " + std::to_string(p.elements) +
         (p.elements == 1 ? " element" : " elements") + " in blocks of " +
         std::to_string(p.threads_per_block) + (p.threads_per_block == 1 ? " thread" : " threads") +
         " with " + std::to_string(p.static_shared) + " + " + std::to_string(p.dynamic_shared) +
         " bytes and " + std::to_string(p.registers_per_thread) + " registers";
}

void expect_plan(const Expected& e) {
  LaunchPlan found;
  try {
    found = plan(e.problem, simt::gpu(e.gpu));
  } catch (const td::Error& error) {
    check::expect(false,
                  text(e) + ": CUDA accepts this launch, but plan() throws: " + error.what());
  }
  check::expect_close(found.grid.x, e.blocks, 0, text(e) + ": blocks of the grid");
  check::expect_close(found.grid.y * found.grid.z, 1, 0, text(e) + ": grid.y * grid.z");
  check::expect_close(found.block.x, e.problem.threads_per_block, 0, text(e) + ": block.x");
  check::expect_close(static_cast<double>(found.shared),
                      static_cast<double>(e.problem.dynamic_shared), 0, text(e) + ": shared");
  check::expect_close(found.blocks_per_sm, e.blocks_per_sm, 0, text(e) + ": blocks per SM");
  check::expect(found.limit == e.limit,
                text(e) + ": expected the limit \"" + e.limit + "\", got \"" + found.limit + "\"");
  check::expect_close(found.occupancy, e.occupancy, 1e-9, text(e) + ": occupancy");
}

void expect_refused(const char* gpu, const Problem& problem, const std::string& error) {
  check::expect_throws<td::Error>([&] { plan(problem, simt::gpu(gpu)); }, {error},
                                  text({gpu, problem, 0, 0, "", 0}));
}

}  // namespace

TEST_CASE("a million elements in blocks of 256 on every GPU", "[plan]") {
  const Problem million = {.elements = 1000000};
  expect_plan({"T4", million, 3907, 4, "threads", 1});
  expect_plan({"A100", million, 3907, 8, "threads", 1});
  expect_plan({"sm_86", million, 3907, 6, "threads", 1});
  expect_plan({"RTX 4090", million, 3907, 6, "threads", 1});
  expect_plan({"H100", million, 3907, 8, "threads", 1});
  expect_plan({"sm_100", million, 3907, 8, "threads", 1});
  expect_plan({"sm_120", million, 3907, 6, "threads", 1});
}

TEST_CASE("the last block may be partly empty", "[plan]") {
  expect_plan({"H100", {.elements = 1}, 1, 8, "threads", 1});
  expect_plan({"H100", {.elements = 257}, 2, 8, "threads", 1});
  expect_plan({"H100", {.elements = 256}, 1, 8, "threads", 1});
}

TEST_CASE("billions of elements, and the largest grid", "[plan]") {
  expect_plan({"H100", {.elements = 3'000'000'000}, 11'718'750, 8, "threads", 1});
  expect_plan({"H100", {.elements = 2'147'483'647LL * 256}, 2'147'483'647, 8, "threads", 1});
}

TEST_CASE("small blocks, and blocks that are not whole warps", "[plan]") {
  expect_plan({"H100", {.elements = 320, .threads_per_block = 32}, 10, 32, "blocks", 0.5});
  expect_plan({"RTX 4090", {.elements = 320, .threads_per_block = 32}, 10, 24, "blocks", 0.5});
  expect_plan({"T4", {.elements = 320, .threads_per_block = 64}, 5, 16, "threads", 1});
  expect_plan({"A100", {.elements = 1000, .threads_per_block = 100}, 10, 16, "threads", 1});
  expect_plan({"sm_86", {.elements = 999, .threads_per_block = 333}, 3, 4, "threads", 11.0 / 12});
}

TEST_CASE("shared memory, with what is reserved for the system", "[plan]") {
  Problem p = {.elements = 1024, .threads_per_block = 128, .static_shared = 16 * 1024};
  expect_plan({"T4", p, 8, 4, "shared memory", 0.5});
  expect_plan({"A100", p, 8, 9, "shared memory", 9 * 4 / 64.0});
  expect_plan({"H100", p, 8, 13, "shared memory", 13 * 4 / 64.0});
  p = {.elements = 1024, .threads_per_block = 128, .static_shared = 100, .dynamic_shared = 9000};
  expect_plan({"A100", p, 8, 16, "threads", 1});
  expect_plan({"sm_86", p, 8, 10, "shared memory", 10 * 4 / 48.0});
  p = {.elements = 64, .threads_per_block = 64, .dynamic_shared = 227 * 1024, .opt_in = true};
  expect_plan({"H100", p, 1, 1, "shared memory", 2 / 64.0});
}

TEST_CASE("bytes per block are rounded up, and 48 KiB are allowed", "[plan]") {
  // 24,876 + 1,024 bytes are rounded up to 25,984: 8 blocks fit into 228 KiB, not 9.
  Problem p = {.elements = 64, .threads_per_block = 64, .static_shared = 24876};
  expect_plan({"H100", p, 1, 8, "shared memory", 0.25});
  expect_plan({"H100", {.elements = 256, .dynamic_shared = 48 * 1024}, 1, 4, "shared memory", 0.5});
}

TEST_CASE("the largest blocks", "[plan]") {
  const Problem p = {.elements = 5000, .threads_per_block = 1024};
  expect_plan({"H100", p, 5, 2, "threads", 1});
  expect_plan({"sm_86", p, 5, 1, "threads", 32 / 48.0});
}

TEST_CASE("registers, in four parts", "[plan]") {
  Problem p = {.elements = 1024, .threads_per_block = 256, .registers_per_thread = 32};
  expect_plan({"H100", p, 4, 8, "threads", 1});
  p.registers_per_thread = 33;
  expect_plan({"H100", p, 4, 6, "registers", 0.75});
  p.registers_per_thread = 255;
  expect_plan({"H100", p, 4, 1, "registers", 0.125});
  p = {.elements = 1024, .threads_per_block = 96, .registers_per_thread = 72};
  expect_plan({"H100", p, 11, 9, "registers", 27 / 64.0});
  // 33 registers: 1,280 per warp, so 12 warps in each of 4 parts; in one piece 51 would fit.
  p.registers_per_thread = 33;
  expect_plan({"H100", p, 11, 16, "registers", 0.75});
}

TEST_CASE("launches that CUDA rejects", "[plan]") {
  expect_refused("H100", {.elements = 0}, "cudaErrorInvalidConfiguration");
  expect_refused("H100", {.elements = 10, .threads_per_block = 0}, "cudaErrorInvalidConfiguration");
  expect_refused("H100", {.elements = 5000, .threads_per_block = 1025},
                 "cudaErrorInvalidConfiguration");
  expect_refused("H100", {.elements = std::int64_t(1) << 36, .threads_per_block = 32},
                 "cudaErrorInvalidConfiguration");
  expect_refused("H100", {.elements = 1, .static_shared = 1, .dynamic_shared = 48 * 1024},
                 "cudaErrorInvalidValue");
  expect_refused("T4", {.elements = 1, .dynamic_shared = 65 * 1024, .opt_in = true},
                 "cudaErrorInvalidValue");
  expect_refused("H100", {.elements = 1024, .threads_per_block = 1024, .registers_per_thread = 65},
                 "cudaErrorLaunchOutOfResources");
}

TEST_CASE("of equal counts, the first in the list is the limit", "[plan]") {
  Problem p = {.elements = 320, .threads_per_block = 32, .registers_per_thread = 64};
  expect_plan({"H100", p, 10, 32, "blocks", 0.5});  // and "registers"
  p = {.elements = 320, .threads_per_block = 32, .dynamic_shared = 228 * 1024 / 32 - 1024};
  expect_plan({"H100", p, 10, 32, "shared memory", 0.5});  // and "blocks"
  p = {.elements = 256, .static_shared = 164 * 1024 / 8 - 1024};
  expect_plan({"A100", p, 1, 8, "threads", 1});  // and "shared memory"
}

TEST_CASE("a block that takes all registers of an SM", "[plan]") {
  const Problem p = {.elements = 1024, .threads_per_block = 1024, .registers_per_thread = 64};
  expect_plan({"H100", p, 1, 1, "registers", 0.5});
}
