// The one allocator of host memory: the small objects that every operation makes (tensor handles,
// storages, graph nodes) and the bytes of cpu tensors. A thread takes blocks from lists of its own
// and releases into them; a list that grows too long exchanges batches with the pool that all
// threads share (host_pool.h), so that a thread that only frees cannot hoard memory. In the steady
// state this takes no lock and no atomic read-modify-write. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace td {

/// @name Objects (see objects.h). They do not count in the statistics.
/// @{
/// A block of at least `bytes` bytes, aligned to 16. Sizes above 1024 go to operator new.
void* allocate_object(std::size_t bytes);
/// Returns a block; `bytes` must be the size that it was allocated with.
void release_object(void* block, std::size_t bytes) noexcept;
/// @}

/// @name Bytes of cpu tensors, and of staging copies. device/allocator.cpp wraps them as
/// allocator(kCPU).
/// @{
/// A block of at least `bytes` bytes, aligned to 64; nullptr for 0. @throws OutOfMemoryError
void* host_allocate(std::size_t bytes);
/// Returns a block, on any thread; `bytes` must be the size that it was allocated with.
void host_release(void* block, std::size_t bytes) noexcept;

/// Counters of one allocator, in bytes unless stated otherwise.
struct MemoryStats {
  std::size_t allocated = 0;             ///< in live tensors now
  std::size_t peak_allocated = 0;        ///< the most since the last reset_peak
  std::size_t reserved = 0;              ///< taken from the device, live or cached
  std::size_t largest_free = 0;          ///< the largest cached block
  std::uint64_t allocations = 0;         ///< calls served
  std::uint64_t device_allocations = 0;  ///< calls that had to allocate from the device
};
/// @}

}  // namespace td
