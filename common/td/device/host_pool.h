// The part of the host allocator that threads share: size classes, free lists under a mutex, and
// the memory of the system behind them. host_allocator.cpp calls it; its thread caches are above.
// Invariant: a block's class follows from the size it was asked for with, and a block is only ever
// reused for its own class.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "td/base/poison.h"

namespace td {

/// Size classes: steps of 64 bytes to 1 KiB, then four per doubling, so that at most a fifth of a
/// block is wasted.
struct HostClasses {
  static constexpr int kSmall = 40;   ///< classes up to 64 KiB
  static constexpr int kCount = 164;  ///< all classes, up to kLargest
  static constexpr std::size_t kSmallBytes = 64 << 10;
  static constexpr std::size_t kLargest = std::size_t{1} << 47;  ///< a process's address space

  static int of(std::size_t bytes) {
    if (bytes <= 1024) return static_cast<int>((bytes - 1) / 64);
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

/// Memory of the machine, swap included.
std::size_t machine_memory();

class HostPool {
 public:
  /// Moves blocks of class `c` from here to `list`: at most `wanted`, at least one.
  /// @throws OutOfMemoryError when the system has none.
  void take(int c, HostBlocks& list, int wanted);
  /// Moves blocks back until `list` holds `keep`.
  void give(int c, HostBlocks& list, int keep) noexcept;
  /// A block above 64 KiB. @throws OutOfMemoryError
  void* take_large(std::size_t bytes);
  void give_large(void* block, std::size_t bytes) noexcept;
  /// Returns what is kept of large blocks; small ones share their chunks with live ones and stay.
  void empty();

  std::size_t reserved() const;
  std::size_t largest_free() const;
  std::uint64_t system_calls() const;
  [[noreturn]] void out_of_memory(std::size_t bytes) const;

  /// Bytes in live blocks, for the error text; the allocator counts them.
  std::atomic<std::int64_t> live{0};

 private:
  bool grow(int c, int blocks);
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
