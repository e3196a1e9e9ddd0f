// What the SIMT machine reports about a kernel while it runs: every launch, block, memory access
// and barrier, in the order in which they happen. The machine (machine.h) calls; memory checks, the
// race finder and the counters (observe/) receive the events. Independent of tensors.
//
// Invariant: a machine calls its observer from one OS thread at a time, and a block's events come
// between begin_block and end_block of that block. Blocks of a launch do not interleave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simt/vector_types.h"

namespace td::simt {

/// A place in a source file, such as that of an access. The machine keeps each for the life of the
/// process, and makes one object per place, so pointers to equal places are equal.
struct Site {
  std::string file;  ///< As the compiler was given it; empty where there is no debug information.
  int line = 0;      ///< From 1; 0 where it is unknown.
  int column = 0;    ///< From 1; 0 where it is unknown.
  std::string function;  ///< Without namespaces, arguments and template arguments.
};

/// A pointer argument of a launch: the memory that the kernel may reach through it.
struct PointerArgument {
  std::string name;              ///< Of the kernel's parameter; "argument 2" where it is unknown.
  std::uintptr_t begin = 0;      ///< The address that the kernel sees.
  std::size_t bytes = 0;         ///< From `begin` to the end of the last element.
  std::size_t element_size = 1;  ///< Bytes of an element.
  std::string type;              ///< Of an element, as in CUDA: "float", "__half".
  std::vector<std::int64_t> sizes;  ///< Of the tensor; empty for a plain pointer.
  bool is_const = false;            ///< The parameter points at const elements.
};

/// A `__shared__` variable of a kernel, or the dynamic shared memory of a launch.
struct SharedVariable {
  std::string name;              ///< As in the source.
  std::string type;              ///< Of an element: "float". Empty where it is unknown.
  std::size_t element_size = 1;  ///< Bytes of an element.
  std::uintptr_t begin = 0;      ///< Address in the OS thread that runs the block.
  std::size_t bytes = 0;         ///< Of the whole variable.
  bool is_dynamic = false;       ///< `extern __shared__`: its size comes from the launch.
};

/// One launch. It does not change from begin_launch to end_launch.
struct LaunchInfo {
  std::string kernel;              ///< Name without arguments: "transpose".
  const Site* site = nullptr;      ///< Where the kernel is defined; nullptr where that is unknown.
  dim3 grid;                       ///< Blocks.
  dim3 block;                      ///< Threads per block.
  std::size_t dynamic_shared = 0;  ///< Bytes.
  double flops = 0;  ///< Floating point operations, as the launch specifies them; 0 if it does not.
  bool is_cooperative = false;  ///< All blocks run at the same time, so they may wait for all.
  std::vector<PointerArgument> arguments;  ///< In the order of the parameters.
  /// All shared variables that the kernel's library has. Those that a block accesses belong to the
  /// kernel, so static shared memory is known only at end_launch.
  std::vector<SharedVariable> shared;
};

/// A thread of the running block.
struct ThreadInfo {
  uint3 index;           ///< threadIdx
  std::uint32_t linear;  ///< x + y * blockDim.x + z * blockDim.x * blockDim.y
  /// The number of its warp in the block.
  std::uint32_t warp() const { return linear / 32; }
  /// Its number in the warp.
  std::uint32_t lane() const { return linear % 32; }
};

/// What an access does to memory.
enum class AccessKind : std::uint8_t { kRead, kWrite, kAtomic };

/// Where the accessed address is, as far as the machine knows.
enum class Space : std::uint8_t {
  kShared,      ///< In LaunchInfo::shared[variable].
  kOtherStack,  ///< In a local variable of another thread of the block.
  kConstant,    ///< In a `__constant__` variable, or other memory that no kernel may write.
  kGlobal,      ///< Anywhere else. It need not belong to an argument.
};

/// One access of one thread. Accesses to a thread's own local variables and reads of constants of
/// the kernel's library are not reported.
struct Access {
  AccessKind kind = AccessKind::kRead;  ///< What it does.
  Space space = Space::kGlobal;         ///< Where.
  bool is_volatile = false;             ///< Through a pointer to volatile.
  std::uint16_t variable = 0;           ///< Index in LaunchInfo::shared; for Space::kShared.
  std::uint32_t bytes = 0;     ///< How many; 1, 2, 4, 8 or 16 but for copies of structs and memory.
  std::uintptr_t address = 0;  ///< Of the first byte.
  const Site* site = nullptr;  ///< Never nullptr.
  /// A copy of a struct or of memory, which need not be aligned to its size.
  bool is_copy = false;
  bool is_compare = false;  ///< An atomic compare-and-swap.
  bool is_store = false;    ///< An atomic store, which reads nothing.
  /// An asynchronous copy starts, and may write from now on. Another access follows when it does.
  bool is_start = false;
  /// The calls of inlined functions that lead there, from the kernel inwards; nullptr where the
  /// place is in the kernel itself. Equal lists are one object.
  const std::vector<const Site*>* calls = nullptr;
};

/// Something that a kernel did wrong, or a note about what it did.
struct Finding {
  /// What is wrong; the names are those of compute-sanitizer's tools where it has them.
  enum class Kind : std::uint8_t {
    kOutOfBounds,
    kMisaligned,
    kHostMemory,
    kOtherThreadsLocal,
    kUninitialized,
    kRace,
    kBarrier,       ///< a barrier that not all threads reach, or reach at different sites
    kMask,          ///< a warp function with lanes that its mask does not name, or that do not come
    kLaunchConfig,  ///< a launch above the limits of the GPU
    kTrap,          ///< a division by zero, an assert, a memory fault, an exception
  };
  Kind kind = Kind::kTrap;     ///< What is wrong.
  bool is_note = false;        ///< Worth reporting, but not a fault.
  std::string kernel;          ///< Its name without arguments.
  const Site* site = nullptr;  ///< May be nullptr.
  uint3 block = {};            ///< Of the first occurrence.
  uint3 thread = {};           ///< Of the first occurrence.
  std::string text;            ///< The whole report: what, whose, who and the fix, in lines.
  std::size_t count = 1;       ///< How often it happened at this site.
};

/// Receives the events of a machine. The defaults do nothing and allow everything.
class Observer {
 public:
  virtual ~Observer() = default;

  /// Before the first block.
  virtual void begin_launch(const LaunchInfo&) {}
  /// After the last block, and after everything that was found.
  virtual void end_launch(const LaunchInfo&) {}
  /// Before the first thread of a block.
  virtual void begin_block(uint3 /*block*/) {}
  /// After its last thread.
  virtual void end_block() {}
  /// An asynchronous copy to shared memory is complete. It is overlapped if its thread read shared
  /// memory between its begin and the wait for it.
  virtual void async_copy(std::size_t /*bytes*/, bool /*is_overlapped*/) {}

  /// Before the access happens. If it returns false, the access does not happen: the machine ends
  /// the thread, as a GPU would end the kernel.
  virtual bool access(const ThreadInfo&, const Access&) { return true; }
  /// Whether the thread of the last access is so far ahead of the others of its warp that these
  /// should run first: what is known of its accesses takes memory until theirs come.
  bool is_ahead() const { return is_ahead_; }
  /// After all threads of the block that have not returned arrived at a __syncthreads.
  virtual void barrier(const Site*) {}
  /// After all threads of a cooperative launch that have not returned arrived at a barrier of the
  /// grid. At such a barrier end_block is called, and resume_block when the block goes on.
  virtual void grid_barrier() {}
  /// See grid_barrier.
  virtual void resume_block(uint3 block) { begin_block(block); }
  /// After a __syncwarp of the lanes in `mask` of the warp.
  virtual void warp_barrier(std::uint32_t /*warp*/, std::uint32_t /*mask*/) {}
  /// A __threadfence, of the block or wider.
  virtual void fence(const ThreadInfo&) {}
  /// A basic block of the kernel begins; `block` is an address that names it. Reported only if the
  /// kernel was compiled to do so.
  virtual void basic_block(const ThreadInfo&, std::uintptr_t /*block*/) {}
  /// A matrix product of a warp (wmma::mma_sync), reported once for the warp.
  virtual void matrix_product(std::uint32_t /*warp*/, int /*m*/, int /*n*/, int /*k*/,
                              const Site*) {}
  /// The machine itself found a fault: a barrier, a mask, a trap, a launch that a GPU would reject.
  virtual void found(Finding) {}

 protected:
  bool is_ahead_ = false;  ///< What is_ahead() returns.
};

}  // namespace td::simt
