// expect: CUDA accepts this launch, but plan() throws
// Right for smaller grids. CUDA allows exactly 2^31 - 1 blocks, too.
#include <algorithm>

#include "exercises.h"
#include "td/exercise.h"

LaunchPlan plan(const Problem& p, const td::simt::GpuLimits& gpu) {
  const int threads = p.threads_per_block;
  TD_CHECK(td::Error, threads >= 1 && threads <= 1024, "cudaErrorInvalidConfiguration: ", threads,
           " threads in a block");
  const std::int64_t blocks = (p.elements + threads - 1) / threads;
  TD_CHECK(td::Error, blocks >= 1 && blocks < 0x7fffffff, "cudaErrorInvalidConfiguration: ", blocks,
           " blocks in a grid");
  const std::size_t bytes = p.static_shared + p.dynamic_shared;
  TD_CHECK(td::Error, bytes <= (p.opt_in ? gpu.shared_opt_in : std::size_t{48 * 1024}),
           "cudaErrorInvalidValue: ", bytes, " bytes of shared memory");
  const int warps = (threads + 31) / 32;
  LaunchPlan result;
  result.grid = dim3(static_cast<unsigned>(blocks));
  result.block = dim3(static_cast<unsigned>(threads));
  result.shared = p.dynamic_shared;
  const std::size_t g = gpu.shared_granularity;
  const std::size_t taken = (bytes + gpu.shared_reserved + g - 1) / g * g;
  const auto consider = [&](const char* name, int count) {
    if (result.limit.empty() || count < result.blocks_per_sm) {
      result.limit = name;
      result.blocks_per_sm = count;
    }
  };
  consider("threads", gpu.warps_per_sm() / warps);
  if (taken > 0) consider("shared memory", static_cast<int>(gpu.shared_per_sm / taken));
  consider("blocks", gpu.blocks_per_sm);
  if (p.registers_per_thread > 0) {
    const int per_warp = (32 * p.registers_per_thread + 255) / 256 * 256;
    const int count = 16384 / per_warp * 4 / warps;
    TD_CHECK(td::Error, count > 0, "cudaErrorLaunchOutOfResources");
    consider("registers", count);
  }
  result.occupancy = static_cast<double>(result.blocks_per_sm * warps) / gpu.warps_per_sm();
  return result;
}
