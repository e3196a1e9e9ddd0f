// The part of host_memory.h that threads share: size classes, free lists under a mutex, and memory
// from the system. host_memory.cpp calls it from its thread caches, allocator(kCPU) for the rest.
// Invariant: the class of a block follows from the size that it was allocated with, and a block is
// only reused for its own class.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <mutex>
#include <vector>

#include "td/base/host_memory.h"

#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else  // clang without its runtime libraries, and so without sanitizers
#define ASAN_POISON_MEMORY_REGION(begin, bytes) ((void)(begin), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(begin, bytes) ((void)(begin), (void)(bytes))
#endif

namespace td {

/// Size classes: steps of 64 bytes to 1 KiB, then four per doubling, so that at most a fifth of a
/// block is wasted.
struct HostClasses {
  static constexpr std::size_t kSmall = 40;                      ///< classes up to 64 KiB
  static constexpr std::size_t kCount = 164;                     ///< all classes, up to kLargest
  static constexpr std::size_t kLargest = std::size_t{1} << 47;  ///< a process's address space

  /// The class of a block of `bytes` bytes, at least 1.
  static std::size_t of(std::size_t bytes) {
    if (bytes <= 1024) return (bytes - 1) / 64;
    const auto high = static_cast<std::size_t>(std::bit_width(bytes - 1)) - 1;  // 10 or more
    return 16 + (high - 10) * 4 + (((bytes - 1) >> (high - 2)) & 3);
  }
  static std::size_t bytes(std::size_t c) {
    return c < 16 ? (c + 1) * 64 : ((c - 16) % 4 + 5) << ((c - 16) / 4 + 8);
  }
};

/// A list of free blocks, linked through their first bytes. AddressSanitizer, where it is on,
/// reports a use of the other bytes as it does for the heap.
struct HostBlocks {
  void push(void* block, std::size_t bytes) {
    ASAN_UNPOISON_MEMORY_REGION(block, sizeof(void*));
    *static_cast<void**>(block) = first;
    first = block;
    ++count;
    ASAN_POISON_MEMORY_REGION(static_cast<char*>(block) + sizeof(void*), bytes - sizeof(void*));
  }
  /// A block of which `bytes` bytes will be used.
  void* pop(std::size_t bytes) {
    void* block = first;
    first = *static_cast<void**>(block);
    --count;
    ASAN_UNPOISON_MEMORY_REGION(block, bytes);
    return block;
  }
  void* first = nullptr;
  int count = 0;
};

/// What one thread has counted since it last reported to the pool. Plain loads and stores on
/// atomics: only the thread writes, and others read, so no locked instruction is needed.
struct HostCounts {
  std::atomic<std::int64_t> live{0};  ///< bytes allocated less bytes released; may be negative
  std::atomic<std::int64_t> high{0};  ///< the largest `live`
  std::atomic<std::uint64_t> calls{0};
};

/// Memory of the system, the free blocks of all classes, and the statistics. Thread-safe.
class HostPool {
 public:
  /// Moves blocks of a small class from here to `list`: at most `count`, at least one.
  /// @throws OutOfMemoryError when the system has none.
  void take(std::size_t c, HostBlocks& list, int count);
  /// Moves blocks back until `list` holds `keep`.
  void give(std::size_t c, HostBlocks& list, int keep) noexcept;
  /// A block above 64 KiB. @throws OutOfMemoryError
  void* take_large(std::size_t bytes);
  void give_large(void* block, std::size_t c) noexcept;
  /// Returns cached large blocks to the system; small ones share their chunks with live ones.
  void empty();

  /// Includes the counts of a thread in the statistics, until the thread ends.
  void add_thread(HostCounts& counts);
  void remove_thread(HostCounts& counts) noexcept;
  /// Moves what a thread has counted to the counts of the pool.
  void collect(HostCounts& counts) noexcept;
  /// Statistics of cpu tensors; `reserved` and `device_allocations` include what objects use.
  MemoryStats stats() const;
  void reset_peak();

 private:
  bool grow(std::size_t c, int count);
  [[noreturn]] void out_of_memory(std::size_t bytes) const;
  void* map(std::size_t bytes);
  void unmap(void* block, std::size_t bytes);
  bool drop_cached(std::size_t except);

  // Bytes in live tensors and allocations, without what threads have not reported yet.
  std::atomic<std::int64_t> live_{0}, peak_{0};
  std::atomic<std::uint64_t> calls_{0};
  mutable std::mutex mutex_;  // guards all below
  std::vector<HostCounts*> threads_;
  std::array<HostBlocks, HostClasses::kCount> free_;
  char *chunk_ = nullptr, *chunk_end_ = nullptr;  // what small blocks are cut from
  std::size_t cached_large_ = 0;                  // bytes
  MemoryStats stats_;                             // reserved and device_allocations
};

/// The pool of this process.
HostPool& host_pool();

}  // namespace td
