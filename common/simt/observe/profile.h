// What the observers count in one launch, in the terms of Nsight Compute: plain data that checkers
// evaluate and report.h prints. Filled in by Observers; independent of how it was counted.
//
// Invariant: the values follow from the accessed addresses alone, so that two runs of the same
// launch have the same profile, whatever the machine's speed.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "simt/observe/gpu_limits.h"
#include "simt/observer.h"

namespace td::simt {

inline constexpr AccessKind kLoad = AccessKind::kRead;
inline constexpr AccessKind kStore = AccessKind::kWrite;
inline constexpr AccessKind kAtomic = AccessKind::kAtomic;
/// "load", "store" or "atomic".
const char* name_of(AccessKind kind);

/// The accesses of the lanes of a warp by one instruction, for a picture.
struct WarpRequest {
  uint3 block = {};                          ///< Whose warp it is.
  std::uint32_t warp = 0;                    ///< Its number in the block.
  std::uint32_t mask = 0;                    ///< Bit i: lane i took part.
  std::uint32_t bytes = 0;                   ///< Of each lane's access.
  std::array<std::int64_t, 32> offset = {};  ///< Bytes from the start of the tensor or variable.
};

/// Sums over requests. A request is one execution of an access by the lanes of a warp.
struct Counts {
  std::size_t requests = 0;  ///< How many there are.
  std::size_t lanes = 0;     ///< Active lanes of all requests.
  std::size_t bytes = 0;     ///< Distinct bytes that each request needs.
  /// Global memory: sectors of 32 bytes. Shared memory: passes ("wavefronts").
  std::size_t transfers = 0;
  std::size_t ideal = 0;  ///< The least transfers that the same lanes and bytes can take.
  int worst_ways = 0;     ///< Shared memory: most words that one request needs of one bank.
  int same_word = 0;      ///< Atomics: most lanes of one request on one word.

  /// Transfers beyond the least.
  std::size_t excess() const { return transfers - ideal; }
  /// The same in percent of all transfers.
  double excess_percent() const { return percent(excess(), transfers); }
  /// Transfers per request.
  double per_request() const { return ratio(transfers, requests); }
  /// The least transfers per request.
  double ideal_per_request() const { return ratio(ideal, requests); }
  /// Lanes per request.
  double active_lanes() const { return ratio(lanes, requests); }
  /// Bytes that were needed, in percent of those that were transferred from global memory.
  double used_percent() const { return percent(bytes, transfers * 32); }
  /// Adds the sums of others.
  Counts& operator+=(const Counts& other);

 private:
  static double ratio(std::size_t a, std::size_t b) {
    return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
  }
  static double percent(std::size_t a, std::size_t b) { return 100 * ratio(a, b); }
};

/// The counts of one place in the source.
struct SiteProfile : Counts {
  const Site* site = nullptr;           ///< The place.
  Space space = Space::kGlobal;         ///< kGlobal or kShared.
  AccessKind kind = AccessKind::kRead;  ///< What is done there.
  std::string variable;          ///< Tensor or shared variable; the first where it has several.
  std::string type;              ///< Of an element of it.
  std::size_t element_size = 1;  ///< Bytes.
  WarpRequest worst;             ///< The request with the largest excess; the first of equals.
  std::size_t worst_excess = 0;  ///< Of that request.
  int line_offset = 0;           ///< Bytes from the start of a 128-byte line to the tensor.
};

/// Results that a kernel left out: bytes of a non-const tensor that no thread wrote.
struct NeverWritten {
  std::string argument;      ///< The name of the parameter.
  std::size_t elements = 0;  ///< How many elements have such bytes.
  std::size_t first = 0;     ///< The index of the first one.
};

/// One launch.
struct Profile {
  std::string kernel;       ///< Its name without arguments.
  dim3 grid;                ///< Blocks.
  dim3 block;               ///< Threads per block.
  std::size_t threads = 0;  ///< Of the grid.
  std::size_t warps = 0;    ///< Of the grid.
  int barriers = 0;         ///< Calls of __syncthreads per thread, in the block that has the most.
  std::size_t static_shared = 0;            ///< Bytes per block.
  std::size_t dynamic_shared = 0;           ///< Bytes per block.
  std::vector<SiteProfile> sites;           ///< In the order of file, line and column.
  std::vector<NeverWritten> never_written;  ///< Results that were left out.

  /// Of global memory: those that are read, and those that are written. A sector that is both
  /// counts twice, because DRAM delivers it once and takes it once.
  std::size_t distinct_sectors = 0;
  double flops = 0;                 ///< Stated by the launch.
  double tensor_flops = 0;          ///< Of matrix products (wmma).
  std::size_t matrix_products = 0;  ///< Calls of mma_sync, per warp.
  std::size_t async_bytes = 0;      ///< Copied to shared memory asynchronously.
  /// Of these, the bytes whose thread read shared memory before it waited for them.
  std::size_t overlapped_async_bytes = 0;
  /// Threads that ran a basic block, in percent of those that their warps have room for; 0 if the
  /// kernel was not compiled to report its basic blocks.
  double branch_efficiency = 0;

  GpuLimits gpu;        ///< For which the following figures hold.
  Occupancy occupancy;  ///< Without registers.
  TimeBound bound;      ///< With the bytes of the distinct sectors.

  /// Sums over the places of that kind in the line; over all lines where it is 0.
  Counts global(AccessKind kind, int line = 0) const { return sum(Space::kGlobal, kind, line); }
  /// The same for shared memory.
  Counts shared(AccessKind kind, int line = 0) const { return sum(Space::kShared, kind, line); }
  /// Loads and stores of global memory; atomics are separate, because they go to the L2 cache.
  Counts global() const;
  /// Loads and stores of shared memory.
  Counts shared() const;
  /// Sums over the places that access the tensor or shared variable of that name.
  Counts of(std::string_view variable, AccessKind kind) const;
  /// The place with the largest excess; nullptr where there is none. Its picture is svg() of
  /// report.h.
  const SiteProfile* worst(Space space) const;
  /// FLOP per byte of the distinct sectors; 0 where no FLOP are stated.
  double intensity() const;

 private:
  Counts sum(Space space, AccessKind kind, int line) const;
};

}  // namespace td::simt
