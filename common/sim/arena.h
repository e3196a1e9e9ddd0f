// Device memory of sim: one memfd per device, mapped twice (see sim.h). The caching allocator asks
// for whole segments, so this one may be slow and simple. Invariant: pieces and gaps together cover
// the span, and the pieces' bytes never exceed the capacity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace td::sim {

class Arena {
 public:
  /// @throws DeviceError when the system refuses the mappings.
  explicit Arena(int index);

  /// A piece aligned to a page, as an address of the fenced view; null when the device is full.
  void* allocate(std::size_t bytes);
  /// Takes a piece back and returns its pages to the system.
  void release(void* fenced);
  std::size_t used() const;
  bool contains(std::uintptr_t address) const { return address - fenced_ < span_; }

 private:
  std::size_t span_;       // address space; larger than the capacity, so that pieces find a gap
  std::uintptr_t fenced_;  // start of the view that faults
  char* kernel_;
  mutable std::mutex mutex_;                          // guards all below
  std::map<std::size_t, std::size_t> pieces_, gaps_;  // offset and bytes
  std::size_t used_ = 0;
};

/// The arena of a device, made at first use and never destroyed.
Arena& arena(int index);
/// The same, or null where none was made. Safe in a signal handler.
Arena* existing_arena(int index);

}  // namespace td::sim
