// The tables of GPUs: refused launches with CUDA's errors, and occupancy against values that were
// computed by hand.
#include <climits>

#include "catch.h"
#include "simt/observe/gpu_limits.h"

namespace td::simt {
namespace {

/// One column of the table of occupancy: blocks by threads, by shared memory, by blocks.
struct Column {
  const char* gpu;
  int by_threads, by_shared, by_blocks, blocks;
  const char* limit;
  int warps, of_warps, registers_limit_above;
};

void check(const Column& column, int threads, std::size_t shared) {
  INFO(column.gpu);
  const Occupancy result = occupancy(gpu(column.gpu), threads, shared);
  CHECK(result.by_threads == column.by_threads);
  CHECK(result.by_shared == column.by_shared);
  CHECK(result.by_blocks == column.by_blocks);
  CHECK(result.blocks == column.blocks);
  CHECK(result.limit == column.limit);
  CHECK(result.warps == column.warps);
  CHECK(result.fraction == Approx(static_cast<double>(column.warps) / column.of_warps));
  CHECK(result.registers_limit_above == column.registers_limit_above);
}

TEST_CASE("occupancy of 256 threads with 16 KiB of shared memory, on all seven capabilities") {
  check({"T4", 4, 4, 16, 4, "threads", 32, 32, 64}, 256, 16384);
  check({"A100", 8, 9, 32, 8, "threads", 64, 64, 32}, 256, 16384);
  check({"sm_86", 6, 5, 16, 5, "shared memory", 40, 48, 48}, 256, 16384);
  check({"RTX 4090", 6, 5, 24, 5, "shared memory", 40, 48, 48}, 256, 16384);
  check({"H100", 8, 13, 32, 8, "threads", 64, 64, 32}, 256, 16384);
  check({"sm_100", 8, 13, 32, 8, "threads", 64, 64, 32}, 256, 16384);
  check({"sm_120", 6, 5, 24, 5, "shared memory", 40, 48, 48}, 256, 16384);
}

TEST_CASE("occupancy of one warp without shared memory is limited by the number of blocks") {
  check({"T4", 32, INT_MAX, 16, 16, "blocks", 16, 32, 128}, 32, 0);
  check({"A100", 64, 164, 32, 32, "blocks", 32, 64, 64}, 32, 0);
  check({"sm_86", 48, 100, 16, 16, "blocks", 16, 48, 128}, 32, 0);
  check({"RTX 4090", 48, 100, 24, 24, "blocks", 24, 48, 80}, 32, 0);
  check({"H100", 64, 228, 32, 32, "blocks", 32, 64, 64}, 32, 0);
  check({"sm_100", 64, 228, 32, 32, "blocks", 32, 64, 64}, 32, 0);
  check({"sm_120", 48, 100, 24, 24, "blocks", 24, 48, 80}, 32, 0);
}

TEST_CASE("occupancy of a padded tile: 1,024 threads, 4,224 bytes") {
  check({"T4", 1, 15, 16, 1, "threads", 32, 32, 64}, 1024, 4224);
  check({"A100", 2, 32, 32, 2, "threads", 64, 64, 32}, 1024, 4224);
  check({"sm_86", 1, 19, 16, 1, "threads", 32, 48, 64}, 1024, 4224);
  check({"RTX 4090", 1, 19, 24, 1, "threads", 32, 48, 64}, 1024, 4224);
  check({"H100", 2, 44, 32, 2, "threads", 64, 64, 32}, 1024, 4224);
}

TEST_CASE("threads count in whole warps, registers in steps of 256 per warp") {
  CHECK(occupancy(gpu("H100"), 33, 0).by_threads == 32);
  CHECK(occupancy(gpu("H100"), 256, 0, 40).by_registers == 6);
  CHECK(occupancy(gpu("H100"), 256, 0, 40).limit == "registers");
  CHECK(occupancy(gpu("H100"), 32, 200 * 1024).registers_limit_above == 255);
  CHECK(occupancy(gpu("T4"), 2048, 0).blocks == 0);
}

TEST_CASE("a launch that CUDA refuses has CUDA's code, name and text") {
  const auto error = [](dim3 grid, dim3 block, std::size_t fixed = 0, std::size_t dynamic = 0,
                        bool opt_in = false) {
    const auto refused = check_launch(gpu("H100"), grid, block, fixed, dynamic, opt_in);
    return refused ? std::to_string(refused->code) + ' ' + refused->name + ": " + refused->text
                   : "";
  };
  const std::string configuration =
      "9 cudaErrorInvalidConfiguration: invalid configuration argument: ";
  CHECK(error(1, {32, 33}) ==
        configuration + "a block (32, 33, 1) has 1056 threads; a block has at most 1024");
  CHECK(error(1, {1, 1, 65}) ==
        configuration + "a block (1, 1, 65) is larger than (1024, 1024, 64) allows");
  CHECK(error({1, 65536}, 32) ==
        configuration + "a grid (1, 65536, 1) is larger than (2147483647, 65535, 65535) allows");
  CHECK(error(0, 32) == configuration + "the grid (0, 1, 1) has no block");
  CHECK(error(1, {32, 0}) == configuration + "the block (32, 0, 1) has no thread");
  CHECK(error(1, 32, 4, 48 * 1024) ==
        "1 cudaErrorInvalidValue: invalid argument: 49152 bytes of dynamic and 4 bytes of static "
        "shared memory are more than the 49152 bytes that a block has without "
        "cudaFuncAttributeMaxDynamicSharedMemorySize");
  CHECK(error(1, 32, 0, 228 * 1024, true) ==
        "1 cudaErrorInvalidValue: invalid argument: 233472 bytes of dynamic and 0 bytes of static "
        "shared memory are more than the 232448 bytes that a block has on H100");
  CHECK(error(1, 32, 0xc004) ==
        "0 ptxas error: uses too much shared data (0xc004 bytes, 0xc000 max): declare the array as "
        "extern __shared__, so that the launch gives its size");
  CHECK(error({INT_MAX, 65535, 65535}, 1024, 0, 48 * 1024).empty());
  CHECK(error(1, 32, 0, 227 * 1024, true).empty());
}

TEST_CASE("the time bound is that of memory below the ridge, and of arithmetic above it") {
  const GpuLimits& h100 = gpu("H100");
  CHECK(h100.ridge() == Approx(19.97).epsilon(0.001));
  const TimeBound add = time_bound(h100, 3 * 4e9, 1e9);
  CHECK(add.memory_bound());
  CHECK(add.seconds() == Approx(12e9 / 3350e9));
  const TimeBound product = time_bound(h100, 1e9, 0, 989.4e12);
  CHECK_FALSE(product.memory_bound());
  CHECK(product.seconds() == Approx(1.0));
  CHECK(time_bound(gpu("sm_86"), 1e9, 1e9).seconds() == 0);
}

TEST_CASE("the numbers of the data sheets are in the table") {
  const auto figures = [](const char* name) {
    const GpuLimits& g = gpu(name);
    return std::vector<double>{g.flops / 1e12, g.tensor_flops / 1e12, g.bytes_per_second / 1e9};
  };
  CHECK(figures("T4") == std::vector<double>{8.1, 65, 320});
  CHECK(figures("A100") == std::vector<double>{19.5, 312, 1555});
  CHECK(figures("RTX 4090") == std::vector<double>{82.6, 165.2, 1008});
  CHECK(figures("H100") == std::vector<double>{66.9, 989.4, 3350});
  CHECK(figures("H200") == std::vector<double>{66.9, 989, 4800});
  CHECK(gpu("sm_120").compute_capability == 120);
}

TEST_CASE("an unknown GPU is an error with the names that are known") {
  CHECK_THROWS_WITH(gpu("H400"),
                    "no GPU \"H400\" is known; take one of T4, A100, sm_86, RTX 4090, H100, H200, "
                    "sm_100, sm_120");
}

}  // namespace
}  // namespace td::simt
