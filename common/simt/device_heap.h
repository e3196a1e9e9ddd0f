// The memory that malloc and new return in a kernel: 8 MiB, CUDA's usual cudaLimitMallocHeapSize.
// Belongs to the process, because a later kernel may use and release what an earlier one has
// allocated. Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace td::simt {

class DeviceHeap {
 public:
  static DeviceHeap& instance();
  /// Returns memory that is aligned to 16 bytes, or nullptr where the heap is full.
  void* allocate(std::size_t bytes);
  /// @return false where no memory that is in use begins there.
  bool release(const void* begin);
  /// Whether the address lies in the heap, allocated or not.
  static bool contains(std::uintptr_t address) {
    return address - begin_.load(std::memory_order_relaxed) < kBytes;
  }
  /// Whether all bytes belong to one piece that is in use.
  bool is_allocated(std::uintptr_t address, std::size_t bytes);

 private:
  static constexpr std::size_t kBytes = 8 << 20;
  DeviceHeap();

  static inline std::atomic<std::uintptr_t> begin_{~kBytes};  // before the first use: nowhere
  std::mutex mutex_;                                          // guards all below
  std::map<std::uintptr_t, std::size_t> allocated_;           // bytes, by address
  std::uintptr_t first_;                                      // address of the heap
  std::uintptr_t next_;                                       // where the search for room begins
};

}  // namespace td::simt
