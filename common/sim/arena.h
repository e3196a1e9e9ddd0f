// Device memory of sim: one memfd per device, mapped twice (see sim.h), and the report of a host
// access to it. The caching allocator allocates whole segments here, so this allocator may be slow
// and simple. Invariant: pieces do not overlap, and their bytes never exceed the capacity.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace td::sim {

class Arena {
 public:
  /// @throws DeviceError when the system cannot create the mappings.
  explicit Arena(int index);

  /// Allocates a piece aligned to a page, as an address of the guarded view; null when the device
  /// is full.
  void* allocate(std::size_t bytes);
  /// Frees a piece and returns its pages to the system.
  void release(void* guarded);
  std::size_t used() const;
  bool contains(std::uintptr_t address) const { return address - guarded_ < span_; }

 private:
  std::size_t span_;        // address space; larger than the capacity because of fragmentation
  std::uintptr_t guarded_;  // start of the guarded view
  char* kernel_;
  mutable std::mutex mutex_;                   // guards all below
  std::map<std::size_t, std::size_t> pieces_;  // offset and bytes
  std::size_t used_ = 0;
};

/// Returns the arena of a device, made at first use and never destroyed.
Arena& arena(int index);
/// Returns the same, or null before its first use. Async-signal-safe.
Arena* existing_arena(int index);

/// Stores whose block it is, as the end of a sentence in reports of wrong accesses. Thread-safe.
void note_block(const void* block, const std::string& words);
/// The words of a note, null-terminated.
using BlockWords = std::array<char, 160>;
/// Returns the newest note of the block; empty when there is none. Async-signal-safe.
BlockWords describe_block(const void* block);

/// Handles SIGSEGV: an access to the guarded view is reported with the tensor and how to fix it,
/// and the process exits with code 70. Other faults go to the previous handler.
void install_fault_reporter();

}  // namespace td::sim
