// expect: blocks per SM: index 0: expected 8, got 9
// Right where the bytes are a multiple of the granularity, which is 128 or 256.
#include "exercises.h"

LaunchPlan plan(const Problem& problem, const td::simt::GpuLimits& gpu) {
  const int threads = problem.threads_per_block;
  if (threads < 1 || threads > 1024)
    throw td::Error("cudaErrorInvalidConfiguration: " + std::to_string(threads) + " threads");
  const std::int64_t blocks = (problem.elements + threads - 1) / threads;
  if (blocks < 1 || blocks > 2147483647)
    throw td::Error("cudaErrorInvalidConfiguration: " + std::to_string(blocks) + " blocks");
  const std::size_t shared = problem.static_shared + problem.dynamic_shared;
  if (shared > (problem.opt_in ? gpu.shared_opt_in : 49152))
    throw td::Error("cudaErrorInvalidValue: " + std::to_string(shared) + " bytes");
  const int warps = (threads + 31) / 32;
  LaunchPlan plan;
  plan.grid = dim3(static_cast<unsigned>(blocks));
  plan.block = dim3(static_cast<unsigned>(threads));
  plan.shared = problem.dynamic_shared;
  plan.blocks_per_sm = gpu.warps_per_sm() / warps;
  plan.limit = "threads";
  const auto limit = [&plan](const char* name, std::int64_t count) {
    if (count >= plan.blocks_per_sm) return;
    plan.blocks_per_sm = static_cast<int>(count);
    plan.limit = name;
  };
  const std::size_t taken = shared + gpu.shared_reserved;
  if (taken > 0) limit("shared memory", static_cast<std::int64_t>(gpu.shared_per_sm / taken));
  limit("blocks", gpu.blocks_per_sm);
  if (problem.registers_per_thread > 0)
    limit("registers", 16384 / ((32 * problem.registers_per_thread + 255) / 256 * 256) * 4 / warps);
  if (plan.blocks_per_sm == 0) throw td::Error("cudaErrorLaunchOutOfResources: no block fits");
  plan.occupancy = static_cast<double>(plan.blocks_per_sm * warps) / gpu.warps_per_sm();
  return plan;
}
