// plan: exercise 11.plan, declared in exercises.h.
#include <algorithm>

#include "exercises.h"
#include "td/exercise.h"

// solution only
namespace {

std::int64_t round_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

void refuse(bool refused, const std::string& error, const std::string& why) {
  if (refused) throw td::Error("plan: " + error + ": " + why);
}

// What CUDA checks before it launches anything.
void check(const Problem& p, std::int64_t blocks, std::int64_t shared,
           const td::simt::GpuLimits& gpu) {
  refuse(p.threads_per_block < 1 || p.threads_per_block > 1024, "cudaErrorInvalidConfiguration",
         "a block has 1 to 1,024 threads, not " + std::to_string(p.threads_per_block));
  refuse(blocks < 1 || blocks > 2147483647, "cudaErrorInvalidConfiguration",
         "a grid has 1 to 2,147,483,647 blocks, not " + std::to_string(blocks));
  const std::int64_t most = p.opt_in ? gpu.shared_opt_in : 48 * 1024;
  refuse(shared > most, "cudaErrorInvalidValue",
         std::to_string(shared) + " bytes of shared memory per block, at most " +
             std::to_string(most) + " are allowed");
}

std::int64_t by_registers(int registers, std::int64_t warps) {
  return 16384 / round_up(32 * registers, 256) * 4 / warps;
}

}  // namespace
// end

LaunchPlan plan(const Problem& problem, const td::simt::GpuLimits& gpu) {
  // blank: Refuse what CUDA refuses; then four counts, and the smallest. 25 lines.
  const int threads = problem.threads_per_block;
  const std::int64_t blocks = threads > 0 ? (problem.elements + threads - 1) / threads : 0;
  const std::int64_t shared = problem.static_shared + problem.dynamic_shared;
  check(problem, blocks, shared, gpu);

  const std::int64_t warps = (threads + 31) / 32, reserved = gpu.shared_reserved;
  const std::int64_t granularity = gpu.shared_granularity, all_shared = gpu.shared_per_sm;
  const std::int64_t taken = round_up(shared + reserved, granularity);
  struct Limit {
    const char* name;
    std::int64_t blocks;
  };
  std::vector<Limit> limits = {{"threads", gpu.warps_per_sm() / warps}};
  if (taken > 0) limits.push_back({"shared memory", all_shared / taken});
  limits.push_back({"blocks", gpu.blocks_per_sm});
  if (const int registers = problem.registers_per_thread; registers > 0) {
    limits.push_back({"registers", by_registers(registers, warps)});
    refuse(limits.back().blocks == 0, "cudaErrorLaunchOutOfResources",
           "the registers of an SM do not suffice for one block");
  }
  const Limit& least = *std::min_element(  // The first of equal ones.
      limits.begin(), limits.end(),
      [](const Limit& a, const Limit& b) { return a.blocks < b.blocks; });
  LaunchPlan plan;
  plan.grid = dim3(static_cast<unsigned>(blocks));
  plan.block = dim3(static_cast<unsigned>(threads));
  plan.shared = problem.dynamic_shared;
  plan.blocks_per_sm = static_cast<int>(least.blocks);
  plan.limit = least.name;
  plan.occupancy = static_cast<double>(least.blocks * warps) / gpu.warps_per_sm();
  return plan;
  // end
}
