// The limits of a GPU for a launch, how many blocks it runs at a time, and its maximum speed.
// Called by the machine before a launch, by the observers for the profile, and by exercises that
// plan a launch. Independent of a running kernel.
//
// Invariant: the values are those of NVIDIA's tables (CUDA C++ Programming Guide, "Compute
// Capabilities"; `cuda_occupancy.h` of CUDA 13.0) and data sheets; none is measured here.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simt/vector_types.h"

namespace td::simt {

/// The limits of a GPU, or of a compute capability. Sizes are in bytes.
struct GpuLimits {
  std::string_view name;       ///< "H100"; "sm_86" for a compute capability without a chosen GPU.
  int compute_capability = 0;  ///< Major and minor number as one: 90 for 9.0.
  int threads_per_sm = 0;      ///< The most at a time.
  int blocks_per_sm = 0;       ///< The most at a time.
  std::size_t shared_per_sm = 0;       ///< Shared memory of an SM.
  std::size_t shared_opt_in = 0;       ///< The most per block, after cudaFuncSetAttribute.
  std::size_t shared_granularity = 0;  ///< A block gets a multiple of it.
  std::size_t shared_reserved = 0;     ///< Per block, for the system.
  double flops = 0;                    ///< Peak of float operations per second; 0: not known.
  double tensor_flops = 0;      ///< Peak of half matrix products with float sums, without sparsity.
  double bytes_per_second = 0;  ///< Peak of device memory.

  /// The most warps at a time.
  int warps_per_sm() const { return threads_per_sm / 32; }
  /// FLOP per byte above which `flops`, not memory, is the limit.
  double ridge() const { return flops / bytes_per_second; }
};

inline constexpr std::size_t kSharedWithoutOptIn = 48 * 1024;  ///< Bytes per block, on every GPU.
inline constexpr int kRegistersPerSm = 65536;
inline constexpr int kRegistersPerThread = 255;  ///< The most that a thread may have.

/// T4, A100, RTX 4090, H100 and H200, and sm_86, sm_100 and sm_120, whose peaks are not given.
const std::vector<GpuLimits>& gpus();
/// Returns the GPU of that name. @throws std::invalid_argument that lists the names.
const GpuLimits& gpu(std::string_view name);

/// Why CUDA rejects a launch.
struct LaunchError {
  int code = 0;      ///< Of cudaError_t; 0 if the compiler already rejects it.
  std::string name;  ///< "cudaErrorInvalidConfiguration", or "ptxas error".
  std::string text;  ///< CUDA's text, then what is too large and what is allowed.
};

/// Returns CUDA's error for a launch, or nothing if the GPU accepts it. `opt_in` means that the
/// program has requested more than 48 KiB with cudaFuncSetAttribute.
std::optional<LaunchError> check_launch(const GpuLimits& gpu, dim3 grid, dim3 block,
                                        std::size_t static_shared, std::size_t dynamic_shared,
                                        bool opt_in = false);

/// The same for a kernel with `__launch_bounds__(most)`; 0: it has none.
std::optional<LaunchError> check_launch_bounds(unsigned most, dim3 block);

/// How many blocks of a launch an SM (streaming multiprocessor) runs at a time.
struct Occupancy {
  int by_threads = 0;    ///< Blocks that the threads alone would allow.
  int by_shared = 0;     ///< The same for shared memory.
  int by_blocks = 0;     ///< The same for the number of blocks.
  int by_registers = 0;  ///< The same; INT_MAX where the registers are not known.
  int blocks = 0;        ///< The smallest of the four.
  int warps = 0;         ///< Of these blocks.
  double fraction = 0;   ///< Of the warps that the SM holds.
  /// Registers per thread above which registers allow fewer blocks, rounded down to 8.
  int registers_limit_above = 0;
  std::string limit;  ///< "threads", "shared memory", "blocks" or "registers"; the first of equals.
};

/// @param shared static and dynamic bytes per block.
/// @param registers per thread; 0: not known, so no limit.
Occupancy occupancy(const GpuLimits& gpu, int threads_per_block, std::size_t shared,
                    int registers = 0);

/// The least time that a GPU needs, from its data sheet. Real kernels take longer.
struct TimeBound {
  double memory = 0;   ///< Seconds to move the bytes.
  double compute = 0;  ///< Seconds to compute.
  /// The longer of both.
  double seconds() const { return memory > compute ? memory : compute; }
  /// Whether memory takes longer.
  bool memory_bound() const { return memory >= compute; }
};

/// @param bytes that device memory must move; `flops` of ordinary and `tensor_flops` of tensor
/// cores. Returns zeros where the peaks are not known.
TimeBound time_bound(const GpuLimits& gpu, double bytes, double flops, double tensor_flops = 0);

}  // namespace td::simt
