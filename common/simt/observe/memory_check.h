// Checks whether an access is inside a tensor or a shared variable, and aligned. Called by
// Observers before each access.
//
// Invariant: an access that passes lies completely in one region.
#pragma once

#include "simt/observe/findings.h"
#include "simt/observe/regions.h"

namespace td::simt {

class MemoryCheck {
 public:
  MemoryCheck(Regions& regions, Findings& findings) : regions_(regions), findings_(findings) {}

  /// Returns the region of the access, or nullptr, with a finding, if a GPU would reject it, or if
  /// it writes to what the kernel takes as const.
  /// @param usual the region that the same place accessed last; nullptr at first.
  Region* check(const ThreadInfo& thread, const Access& access, Region* usual) {
    if (access.space == Space::kGlobal && usual && usual->contains(access.address, access.bytes) &&
        is_aligned(access) && !writes_const(access, *usual))
      return usual;
    return search(thread, access, usual);
  }

  /// Reports the lane of a request that left the variable in which the other lanes are.
  void left_variable(const ThreadInfo& thread, const Site* site, AccessKind kind,
                     std::uintptr_t address, const Region& meant, const Region& reached);

 private:
  /// Whether the address is a multiple of the size, as it must be for the sizes that registers
  /// have.
  static bool is_aligned(const Access& access) {
    const bool one_access =
        access.bytes <= 16 && (access.bytes & (access.bytes - 1)) == 0 && !access.is_copy;
    return !one_access || (access.address & (access.bytes - 1)) == 0;
  }
  /// Of tensors only: a plain pointer may be const and its memory may not.
  static bool writes_const(const Access& access, const Region& region) {
    return access.kind != AccessKind::kRead && region.argument && region.argument->is_const &&
           !region.argument->sizes.empty();
  }
  Region* search(const ThreadInfo& thread, const Access& access, Region* usual);
  void report_constant(const ThreadInfo& thread, const Access& access);
  void report_misaligned(const ThreadInfo& thread, const Access& access, const Region& region);
  void report_outside(const ThreadInfo& thread, const Access& access, Region* usual);
  void report_out_of_bounds(const ThreadInfo& thread, const Access& access, const Region& region);
  void report_const(const ThreadInfo& thread, const Access& access, const Region& region,
                    const Region* usual);
  void report_host_memory(const ThreadInfo& thread, const Access& access);
  void report_other_stack(const ThreadInfo& thread, const Access& access);

  Regions& regions_;
  Findings& findings_;
};

}  // namespace td::simt
