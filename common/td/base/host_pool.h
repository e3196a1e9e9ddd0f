// The part of host_memory.h that threads share: size classes, free lists under a mutex, and memory
// from the system. host_memory.cpp calls it from its thread caches. Invariant: the class of a block
// follows from the size that it was allocated with, and a block is only reused for its own class.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "td/base/host_memory.h"

#if defined(TD_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

namespace td {

/// @name Mark cached memory, so that AddressSanitizer reports a use of a released block as it does
/// for the heap. Nothing in other builds.
/// @{
/// Bytes [keep, bytes) of the block may not be touched from now on.
inline void poison_after([[maybe_unused]] void* block, [[maybe_unused]] std::size_t keep,
                         [[maybe_unused]] std::size_t bytes) {
#if defined(TD_ADDRESS_SANITIZER)
  __asan_poison_memory_region(static_cast<char*>(block) + keep, bytes - keep);
#endif
}
/// The first `bytes` of the block, which is returned, may be touched again.
inline void* unpoison(void* block, [[maybe_unused]] std::size_t bytes) {
#if defined(TD_ADDRESS_SANITIZER)
  __asan_unpoison_memory_region(block, bytes);
#endif
  return block;
}
/// @}

/// Size classes: steps of 64 bytes to 1 KiB, then four per doubling, so that at most a fifth of a
/// block is wasted.
struct HostClasses {
  static constexpr int kSmall = 40;   ///< classes up to 64 KiB
  static constexpr int kCount = 164;  ///< all classes, up to kLargest
  static constexpr std::size_t kSmallBytes = 64 << 10;
  static constexpr std::size_t kLargest = std::size_t{1} << 47;  ///< a process's address space

  /// Of 1 to 1024 bytes.
  static int of_small(std::size_t bytes) { return static_cast<int>((bytes - 1) / 64); }
  /// Of 1 to kLargest bytes.
  static int of(std::size_t bytes) {
    if (bytes <= 1024) return of_small(bytes);
    const int high = std::bit_width(bytes - 1) - 1;  // 10 or more
    return 16 + (high - 10) * 4 + static_cast<int>(((bytes - 1) >> (high - 2)) & 3);
  }
  static std::size_t bytes(int c) {
    if (c < 16) return (static_cast<std::size_t>(c) + 1) * 64;
    return static_cast<std::size_t>((c - 16) % 4 + 5) << ((c - 16) / 4 + 8);
  }
};

/// A list of free blocks, linked through their first bytes.
struct HostBlocks {
  void push(void* block, std::size_t bytes) {
    unpoison(block, sizeof(void*));
    *static_cast<void**>(block) = first;
    first = block;
    ++count;
    poison_after(block, sizeof(void*), bytes);
  }
  void* pop() {
    void* block = first;
    first = *static_cast<void**>(block);
    --count;
    return block;
  }
  void* first = nullptr;
  int count = 0;
};

/// Memory of the system, and the free blocks of all classes. Thread-safe.
class HostPool {
 public:
  /// Moves blocks of class `c` from here to `list`: at most `count`, at least one.
  /// @throws OutOfMemoryError when the system has none.
  void take(int c, HostBlocks& list, int count);
  /// Moves blocks back until `list` holds `keep`.
  void give(int c, HostBlocks& list, int keep) noexcept;
  /// A block above 64 KiB. @throws OutOfMemoryError
  void* take_large(std::size_t bytes);
  void give_large(void* block, std::size_t bytes) noexcept;
  /// Returns cached large blocks to the system; small ones share their chunks with live ones.
  void empty();
  /// reserved, largest_free and device_allocations.
  MemoryStats stats() const;

  /// Bytes in live tensors, for the error message; host_memory.cpp counts them.
  std::atomic<std::int64_t> live{0};

 private:
  bool grow(int c, int count);
  [[noreturn]] void out_of_memory(std::size_t bytes) const;
  void* map(std::size_t bytes);
  void unmap(void* block, std::size_t bytes);
  bool drop_cached(int except);

  mutable std::mutex mutex_;  // guards all below
  std::array<HostBlocks, HostClasses::kCount> free_;
  char *chunk_ = nullptr, *chunk_end_ = nullptr;  // what small blocks are cut from
  std::size_t reserved_ = 0, cached_large_ = 0;
  std::uint64_t system_calls_ = 0;
};

}  // namespace td
