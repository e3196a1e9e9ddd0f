// The memory of one device: a piece of address space from which cudaMalloc gives blocks. On the
// tests' stand-in for CUDA it is mapped twice from one file: the program gets addresses of the
// first mapping, which no thread can access, and kernels work at the second. For a learner's
// program both are one. Called with the lock of the runtime held.
//
// Invariant: blocks do not overlap, each ends at the end of a page, and after each is a page that
// neither mapping can access; an address is used again only once all later ones were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace td::cudart {

class Arena {
 public:
  enum class Views { kOne, kTwo };
  /// @param capacity bytes that all blocks together may have.
  Arena(int device, std::size_t capacity, Views views);

  /// A block aligned to 512 bytes, filled with 0xFF (NaN in every float type) or with another byte;
  /// null where the device is full.
  void* allocate(std::size_t bytes, int filling = 0xFF);
  /// Gives the pages back to the system; later accesses fault.
  void release(void* block);
  bool contains(const void* memory) const {
    return reinterpret_cast<std::uintptr_t>(memory) - program_ < span_;
  }
  std::uintptr_t begin() const { return program_; }
  std::uintptr_t end() const { return program_ + span_; }
  std::size_t used() const { return used_; }
  std::size_t capacity() const { return capacity_; }

 private:
  std::size_t find_room(std::size_t bytes);
  char* view(std::size_t offset) const;

  const std::size_t capacity_;
  std::size_t span_;                          // of addresses
  std::uintptr_t program_ = 0;                // where the first mapping begins
  std::size_t used_ = 0, cursor_ = 0;         // where the search for room begins
  std::map<std::size_t, std::size_t> pages_;  // bytes of whole pages by offset
};

/// The device whose arena holds the address, also where no block is; -1: none. Async-signal-safe.
int arena_of(const void* memory);

/// Where kernels find the bytes at the program's address, and the other way round. Other addresses
/// are returned as they are.
///@{
void* device_view(const void* memory);
void* program_address(const void* view);
///@}

}  // namespace td::cudart
