#include "exercises.h"

#include <algorithm>

#include "td/exercise.h"

// answer: any_number_of_blocks
// expect: blocks per SM: index 0: expected 32, got 64
// Right for large blocks. An SM holds 16 to 32 blocks, however small they are.
namespace any_number_of_blocks {
namespace {

std::size_t round_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace

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
  const std::size_t taken = round_up(shared + gpu.shared_reserved, gpu.shared_granularity);
  if (taken > 0) limit("shared memory", static_cast<std::int64_t>(gpu.shared_per_sm / taken));
  if (problem.registers_per_thread > 0)
    limit("registers", 16384 / round_up(32 * problem.registers_per_thread, 256) * 4 / warps);
  if (plan.blocks_per_sm == 0) throw td::Error("cudaErrorLaunchOutOfResources: no block fits");
  plan.occupancy = static_cast<double>(plan.blocks_per_sm * warps) / gpu.warps_per_sm();
  return plan;
}
}  // namespace any_number_of_blocks

// answer: bytes_not_rounded
// expect: blocks per SM: index 0: expected 8, got 9
// Right where the bytes are a multiple of the granularity, which is 128 or 256.
namespace bytes_not_rounded {
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
}  // namespace bytes_not_rounded

// answer: elements_as_int
// expect: CUDA accepts this launch, but plan() throws
// Right for fewer than 2^31 elements, which is what an int holds.
namespace elements_as_int {
LaunchPlan plan(const Problem& p, const td::simt::GpuLimits& gpu) {
  const int threads = p.threads_per_block;
  TD_CHECK(td::Error, threads >= 1 && threads <= 1024, "cudaErrorInvalidConfiguration: ", threads,
           " threads in a block");
  const std::int64_t blocks = (static_cast<int>(p.elements) + threads - 1) / threads;
  TD_CHECK(td::Error, blocks >= 1 && blocks <= 0x7fffffff,
           "cudaErrorInvalidConfiguration: ", blocks, " blocks in a grid");
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
}  // namespace elements_as_int

// answer: nothing_reserved
// expect: blocks per SM: index 0: expected 9, got 10
// Right on a T4. Newer GPUs reserve 1 KiB of shared memory per block for themselves.
namespace nothing_reserved {
namespace {

std::size_t round_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace

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
  const std::size_t taken = round_up(shared, gpu.shared_granularity);
  if (taken > 0) limit("shared memory", static_cast<std::int64_t>(gpu.shared_per_sm / taken));
  limit("blocks", gpu.blocks_per_sm);
  if (problem.registers_per_thread > 0)
    limit("registers", 16384 / round_up(32 * problem.registers_per_thread, 256) * 4 / warps);
  if (plan.blocks_per_sm == 0) throw td::Error("cudaErrorLaunchOutOfResources: no block fits");
  plan.occupancy = static_cast<double>(plan.blocks_per_sm * warps) / gpu.warps_per_sm();
  return plan;
}
}  // namespace nothing_reserved

// answer: one_block_too_few
// expect: CUDA accepts this launch, but plan() throws
// Right for smaller grids. CUDA allows exactly 2^31 - 1 blocks, too.
namespace one_block_too_few {
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
}  // namespace one_block_too_few

// answer: parts_of_warps
// expect: blocks per SM: index 0: expected 16, got 20
// Right where a block has a multiple of 32 threads. A block of 100 threads takes 4 warps.
namespace parts_of_warps {
namespace {

std::size_t round_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace

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
  plan.blocks_per_sm = gpu.threads_per_sm / threads;
  plan.limit = "threads";
  const auto limit = [&plan](const char* name, std::int64_t count) {
    if (count >= plan.blocks_per_sm) return;
    plan.blocks_per_sm = static_cast<int>(count);
    plan.limit = name;
  };
  const std::size_t taken = round_up(shared + gpu.shared_reserved, gpu.shared_granularity);
  if (taken > 0) limit("shared memory", static_cast<std::int64_t>(gpu.shared_per_sm / taken));
  limit("blocks", gpu.blocks_per_sm);
  if (problem.registers_per_thread > 0)
    limit("registers", 16384 / round_up(32 * problem.registers_per_thread, 256) * 4 / warps);
  if (plan.blocks_per_sm == 0) throw td::Error("cudaErrorLaunchOutOfResources: no block fits");
  plan.occupancy = static_cast<double>(plan.blocks_per_sm * warps) / gpu.warps_per_sm();
  return plan;
}
}  // namespace parts_of_warps

// answer: registers_in_one_piece
// expect: blocks per SM: index 0: expected 16, got 17
// Right where the warps of a part fill it. Warps do not span the four parts of the registers.
namespace registers_in_one_piece {
LaunchPlan plan(const Problem& p, const td::simt::GpuLimits& gpu) {
  const int threads = p.threads_per_block;
  TD_CHECK(td::Error, threads >= 1 && threads <= 1024, "cudaErrorInvalidConfiguration: ", threads,
           " threads in a block");
  const std::int64_t blocks = (p.elements + threads - 1) / threads;
  TD_CHECK(td::Error, blocks >= 1 && blocks <= 0x7fffffff,
           "cudaErrorInvalidConfiguration: ", blocks, " blocks in a grid");
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
    const int count = 65536 / per_warp / warps;
    TD_CHECK(td::Error, count > 0, "cudaErrorLaunchOutOfResources");
    consider("registers", count);
  }
  result.occupancy = static_cast<double>(result.blocks_per_sm * warps) / gpu.warps_per_sm();
  return result;
}
}  // namespace registers_in_one_piece

// answer: registers_without_parts
// expect: blocks per SM: index 0: expected 6, got 7
// The registers of an SM are taken as one piece, without parts and without rounding.
namespace registers_without_parts {
namespace {

std::size_t round_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace

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
  const std::size_t taken = round_up(shared + gpu.shared_reserved, gpu.shared_granularity);
  if (taken > 0) limit("shared memory", static_cast<std::int64_t>(gpu.shared_per_sm / taken));
  limit("blocks", gpu.blocks_per_sm);
  if (problem.registers_per_thread > 0)
    limit("registers", 65536 / (32 * problem.registers_per_thread) / warps);
  if (plan.blocks_per_sm == 0) throw td::Error("cudaErrorLaunchOutOfResources: no block fits");
  plan.occupancy = static_cast<double>(plan.blocks_per_sm * warps) / gpu.warps_per_sm();
  return plan;
}
}  // namespace registers_without_parts

// answer: rounds_down
// expect: blocks of the grid: index 0: expected 3907, got 3906
// Right where the elements fill whole blocks. Else the last elements get no thread.
namespace rounds_down {
namespace {

std::size_t round_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace

LaunchPlan plan(const Problem& problem, const td::simt::GpuLimits& gpu) {
  const int threads = problem.threads_per_block;
  if (threads < 1 || threads > 1024)
    throw td::Error("cudaErrorInvalidConfiguration: " + std::to_string(threads) + " threads");
  const std::int64_t blocks = problem.elements / threads;
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
  const std::size_t taken = round_up(shared + gpu.shared_reserved, gpu.shared_granularity);
  if (taken > 0) limit("shared memory", static_cast<std::int64_t>(gpu.shared_per_sm / taken));
  limit("blocks", gpu.blocks_per_sm);
  if (problem.registers_per_thread > 0)
    limit("registers", 16384 / round_up(32 * problem.registers_per_thread, 256) * 4 / warps);
  if (plan.blocks_per_sm == 0) throw td::Error("cudaErrorLaunchOutOfResources: no block fits");
  plan.occupancy = static_cast<double>(plan.blocks_per_sm * warps) / gpu.warps_per_sm();
  return plan;
}
}  // namespace rounds_down

// answer: the_last_of_equals
// expect: expected the limit "blocks", got "registers"
// Of equal counts it names the last one.
namespace the_last_of_equals {
namespace {

std::size_t round_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace

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
    if (count > plan.blocks_per_sm) return;
    plan.blocks_per_sm = static_cast<int>(count);
    plan.limit = name;
  };
  const std::size_t taken = round_up(shared + gpu.shared_reserved, gpu.shared_granularity);
  if (taken > 0) limit("shared memory", static_cast<std::int64_t>(gpu.shared_per_sm / taken));
  limit("blocks", gpu.blocks_per_sm);
  if (problem.registers_per_thread > 0)
    limit("registers", 16384 / round_up(32 * problem.registers_per_thread, 256) * 4 / warps);
  if (plan.blocks_per_sm == 0) throw td::Error("cudaErrorLaunchOutOfResources: no block fits");
  plan.occupancy = static_cast<double>(plan.blocks_per_sm * warps) / gpu.warps_per_sm();
  return plan;
}
}  // namespace the_last_of_equals
