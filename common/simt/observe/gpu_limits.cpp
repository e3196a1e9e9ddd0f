// The tables of NVIDIA's GPUs and the arithmetic on them. Invariant: depends on its arguments only.
#include "simt/observe/gpu_limits.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <sstream>
#include <stdexcept>

namespace td::simt {
namespace {

constexpr std::size_t kKiB = 1024;

constexpr GpuLimits turing{"", 75, 1024, 16, 64 * kKiB, 64 * kKiB, 256, 0};
constexpr GpuLimits ampere{"", 80, 2048, 32, 164 * kKiB, 163 * kKiB, 128, kKiB};
constexpr GpuLimits ampere_86{"", 86, 1536, 16, 100 * kKiB, 99 * kKiB, 128, kKiB};
constexpr GpuLimits ada{"", 89, 1536, 24, 100 * kKiB, 99 * kKiB, 128, kKiB};
constexpr GpuLimits hopper{"", 90, 2048, 32, 228 * kKiB, 227 * kKiB, 128, kKiB};

constexpr GpuLimits named(GpuLimits gpu, std::string_view name, double tera_flops,
                          double tera_tensor_flops, double gigabytes_per_second) {
  gpu.name = name;
  gpu.flops = tera_flops * 1e12;
  gpu.tensor_flops = tera_tensor_flops * 1e12;
  gpu.bytes_per_second = gigabytes_per_second * 1e9;
  return gpu;
}

constexpr GpuLimits newer(GpuLimits gpu, std::string_view name, int compute_capability) {
  gpu.name = name;
  gpu.compute_capability = compute_capability;
  return gpu;
}

int round_up(int value, int step) { return (value + step - 1) / step * step; }

LaunchError too_large(int code, const char* name, const char* cudas_text, const std::string& what) {
  return {code, name, cudas_text + std::string(": ") + what};
}

std::optional<LaunchError> invalid_configuration(const std::string& what) {
  return too_large(9, "cudaErrorInvalidConfiguration", "invalid configuration argument", what);
}

std::string triple(dim3 v) {
  std::ostringstream out;
  out << '(' << v.x << ", " << v.y << ", " << v.z << ')';
  return out.str();
}

std::optional<LaunchError> check_shape(dim3 grid, dim3 block) {
  const auto empty = [](dim3 v) { return v.x == 0 || v.y == 0 || v.z == 0; };
  if (empty(grid)) return invalid_configuration("the grid " + triple(grid) + " has no block");
  if (empty(block)) return invalid_configuration("the block " + triple(block) + " has no thread");
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (block.x > 1024 || block.y > 1024 || block.z > 64)
    return invalid_configuration("a block " + triple(block) +
                                 " is larger than (1024, 1024, 64) allows");
  if (threads > 1024)
    return invalid_configuration("a block " + triple(block) + " has " + std::to_string(threads) +
                                 " threads; a block has at most 1024");
  if (grid.x > INT32_MAX || grid.y > 65535 || grid.z > 65535)
    return invalid_configuration("a grid " + triple(grid) +
                                 " is larger than (2147483647, 65535, 65535) allows");
  return {};
}

}  // namespace

const std::vector<GpuLimits>& gpus() {
  static const std::vector<GpuLimits> all = {
      named(turing, "T4", 8.1, 65, 320),
      named(ampere, "A100", 19.5, 312, 1555),
      newer(ampere_86, "sm_86", 86),
      named(ada, "RTX 4090", 82.6, 165.2, 1008),
      named(hopper, "H100", 66.9, 989.4, 3350),
      named(hopper, "H200", 66.9, 989, 4800),
      newer(hopper, "sm_100", 100),
      newer(ada, "sm_120", 120),
  };
  return all;
}

const GpuLimits& gpu(std::string_view name) {
  std::string names;
  for (const GpuLimits& candidate : gpus()) {
    if (candidate.name == name) return candidate;
    names.append(names.empty() ? "" : ", ").append(candidate.name);
  }
  throw std::invalid_argument("no GPU \"" + std::string(name) + "\" is known; take one of " +
                              names);
}

std::optional<LaunchError> check_launch(const GpuLimits& gpu, dim3 grid, dim3 block,
                                        std::size_t static_shared, std::size_t dynamic_shared,
                                        bool opt_in) {
  if (auto error = check_shape(grid, block)) return error;
  if (static_shared > kSharedWithoutOptIn) {
    std::ostringstream text;
    text << "uses too much shared data (0x" << std::hex << static_shared << " bytes, 0x"
         << kSharedWithoutOptIn << " max): declare the array as extern __shared__, so that the "
         << "launch gives its size";
    return LaunchError{0, "ptxas error", text.str()};
  }
  const std::size_t most = opt_in ? gpu.shared_opt_in : kSharedWithoutOptIn;
  if (static_shared + dynamic_shared <= most) return {};
  std::ostringstream what;
  what << dynamic_shared << " bytes of dynamic and " << static_shared
       << " bytes of static shared memory are more than the " << most << " bytes that a block has ";
  if (opt_in)
    what << "on " << gpu.name;
  else
    what << "without cudaFuncAttributeMaxDynamicSharedMemorySize";
  return too_large(1, "cudaErrorInvalidValue", "invalid argument", what.str());
}

std::optional<LaunchError> check_launch_bounds(unsigned most, dim3 block) {
  const std::size_t threads = std::size_t{block.x} * block.y * block.z;
  if (most == 0 || threads <= most) return {};
  return too_large(1, "cudaErrorInvalidValue", "invalid argument",
                   "a block " + triple(block) + " has " + std::to_string(threads) +
                       " threads, and the kernel is compiled for at most " + std::to_string(most) +
                       " (__launch_bounds__)");
}

Occupancy occupancy(const GpuLimits& gpu, int threads_per_block, std::size_t shared,
                    int registers) {
  const int warps = std::max(round_up(threads_per_block, 32) / 32, 1);
  const int step = static_cast<int>(gpu.shared_granularity);
  const int bytes = round_up(static_cast<int>(shared + gpu.shared_reserved), step);
  Occupancy result;
  result.by_threads = gpu.warps_per_sm() / warps;
  result.by_shared = bytes == 0 ? INT_MAX : static_cast<int>(gpu.shared_per_sm) / bytes;
  result.by_blocks = gpu.blocks_per_sm;
  result.by_registers = INT_MAX;
  if (registers > 0)  // each of the four parts of an SM allocates registers for whole warps
    result.by_registers = kRegistersPerSm / 4 / round_up(32 * registers, 256) * 4 / warps;

  const std::pair<int, const char*> limits[] = {{result.by_threads, "threads"},
                                                {result.by_shared, "shared memory"},
                                                {result.by_blocks, "blocks"},
                                                {result.by_registers, "registers"}};
  const auto& least = *std::min_element(std::begin(limits), std::end(limits),
                                        [](auto& a, auto& b) { return a.first < b.first; });
  result.blocks = least.first;
  result.limit = least.second;
  result.warps = result.blocks * warps;
  result.fraction = static_cast<double>(result.warps) / gpu.warps_per_sm();
  if (result.blocks > 0)
    result.registers_limit_above =
        std::min(kRegistersPerThread, kRegistersPerSm / (result.warps * 32) / 8 * 8);
  return result;
}

TimeBound time_bound(const GpuLimits& gpu, double bytes, double flops, double tensor_flops) {
  TimeBound bound;
  if (gpu.bytes_per_second > 0) bound.memory = bytes / gpu.bytes_per_second;
  if (gpu.flops > 0) bound.compute = flops / gpu.flops + tensor_flops / gpu.tensor_flops;
  return bound;
}

}  // namespace td::simt
