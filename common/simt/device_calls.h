// What the headers of the language call. The machine (machine.cpp, warps.cpp) executes it for the
// kernel's calling thread. The hooks of the compiler (kernel_library/hooks.cpp) call it too.
//
// Invariant: the return address of a call is in the kernel, because every caller in these headers
// is inlined; so the machine knows the line. `pc` is that address for other callers.
#pragma once

#include <cstddef>
#include <cstdint>

/// For functions of the language: a call of the machine then returns into the kernel itself.
#define TD_SIMT_INLINE inline __attribute__((always_inline))

/// For functions whose calls keep separate places, even at the end of both branches of an if.
#ifdef __clang__
#define TD_SIMT_OWN_PLACE __attribute__((nomerge))
#else
#define TD_SIMT_OWN_PLACE
#endif

namespace td::simt {

/// As std::bit_cast, for types with constructors too.
template <class To, class From>
TD_SIMT_INLINE To same_bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(static_cast<void*>(&to), static_cast<const void*>(&from), sizeof to);
  return to;
}

/// True while the kernels of this OS thread are observed, or its host code is.
extern constinit thread_local bool is_observed;
/// Where observed accesses are: everywhere for kernels, in the memory of devices for host code.
extern constinit thread_local std::uintptr_t observed_begin, observed_bytes;
/// Whether an access of this OS thread is to be reported.
TD_SIMT_INLINE bool is_reported(const void* address) {
  return is_observed && reinterpret_cast<std::uintptr_t>(address) - observed_begin < observed_bytes;
}

/// Gets the accesses of observed code that is no kernel; nullptr where nobody wants them.
using HostAccess = void (*)(const void* address, std::size_t bytes, bool writes, const void* pc);
extern constinit HostAccess host_access;

/// The barriers of a block: __syncthreads, _count, _and and _or.
enum class BlockBarrier : std::uint8_t { kPlain, kCount, kAnd, kOr };
/// Waits for all threads of the block that have not returned; @return as CUDA's function does.
TD_SIMT_OWN_PLACE int block_barrier(BlockBarrier barrier, int predicate);

/// The functions that the lanes of a warp call together.
enum class WarpFunction : std::uint8_t {
  kSync,
  kShuffle,
  kShuffleUp,
  kShuffleDown,
  kShuffleXor,
  kBallot,
  kAny,
  kAll,
  kMatchAny,
  kMatchAll,
  kAddSigned,
  kMinSigned,
  kMaxSigned,
  kAddUnsigned,
  kMinUnsigned,
  kMaxUnsigned,
  kAnd,
  kOr,
  kXor,
  kActive,
  kMatrixLoad,
  kMatrixStore,
  kMatrixProduct,
};
/// Waits for the lanes that `mask` names, and returns the function's result for the calling lane.
/// @param value the input of the lane; @param lane of a shuffle: a lane, a delta or a lane mask.
TD_SIMT_OWN_PLACE std::uint64_t warp_call(WarpFunction function, unsigned mask,
                                          std::uint64_t value = 0, int lane = 0, int width = 32);

/// The lanes that run together here: those of the warp that have reached this place when none can
/// go on without the others.
TD_SIMT_OWN_PLACE unsigned active_lanes();

/// A lane's input to load_matrix_sync and store_matrix_sync, which must be equal in all lanes.
struct MatrixAccess {
  const void* pointer;
  unsigned leading;  ///< elements from one row (or column) to the next
  unsigned element_bytes;
  unsigned fragment_bytes;  ///< of a lane's part of the matrix
  bool column_major;
};
/// A lane's input to mma_sync, its elements of A, B and C; the machine fills in those of D.
struct MatrixProduct {
  enum class Sum : std::uint8_t { kFloat, kHalf, kDouble, kInt };
  int m, n, k;
  Sum sum;                          ///< the type in which products are summed
  unsigned a_elements, b_elements;  ///< how many of a and b are used
  double a[16], b[16], c[8], d[8];
};
/// Which element of a matrix of `count` elements is the one in a lane's `slot`, counted through all
/// lanes. CUDA does not specify it; here it depends on the seed of the launch.
unsigned matrix_element(unsigned slot, unsigned count);
/// The calling thread's lane.
unsigned lane_of_thread();

/// How a kernel spells an access. A copy of a struct or of memory need not be aligned to its size;
/// kCompare is an atomicCAS, kStore an atomic store, kStart the start of an asynchronous copy.
enum class AccessForm : std::uint8_t { kPlain, kVolatile, kCopy, kCompare, kStore, kStart };

/// Reports an access of the calling kernel that has no hook, before it happens.
///@{
void tell_read_here(const void* address, std::size_t bytes);
void tell_write_here(const void* address, std::size_t bytes);
///@}
/// Reports an access before it happens. Does not return if the access must not happen.
///@{
void tell_read(const void* address, std::size_t bytes, AccessForm form, const void* pc);
void tell_write(const void* address, std::size_t bytes, AccessForm form, const void* pc);
/// These, fence() and clock_ticks() first let other threads of the block run from time to time,
/// because a loop may wait for them.
void tell_atomic(const void* address, std::size_t bytes, const void* pc,
                 AccessForm form = AccessForm::kPlain);
void tell_volatile_read(const void* address, std::size_t bytes, const void* pc);
void tell_volatile_write(const void* address, std::size_t bytes, const void* pc);
/// A basic block of the kernel begins.
void tell_basic_block(const void* pc);
///@}

/// Lets other threads of the block run from time to time, as tell_atomic() does.
void may_wait();
/// What comes before an atomic operation of the compiler, where no hook calls may_wait().
TD_SIMT_INLINE void before_atomic() {
#ifdef TD_SIMT_WITHOUT_HOOKS  // a plain run of a program (tools/course/cuda_program.cpp)
  may_wait();
#endif
}

/// Whether the caller is a kernel.
bool in_kernel();
/// Where the memory is that a kernel's address means.
enum class AddressSpace : std::uint8_t { kGlobal, kShared, kConstant, kLocal };
AddressSpace address_space(const void* address);
/// Where the shared memory of the kernel's block begins.
char* shared_window();
/// malloc and free of a kernel. @return false where `begin` is not of the device's heap.
///@{
void* device_malloc(std::size_t bytes);
bool device_free(const void* begin, const void* pc);
///@}
/// __threadfence and similar functions.
void fence();
/// Ends the thread: `assert(text)` does not hold.
[[noreturn]] void assertion_failed(const char* text, const void* pc);
/// Ends the thread, which calls `function`.
[[noreturn]] TD_SIMT_OWN_PLACE void trap(const char* function);
/// clock64(): nanoseconds. Each call adds a microsecond, so that a loop that waits for the clock
/// soon ends: the threads of a block would have to wait one after another.
long long clock_ticks();

}  // namespace td::simt
