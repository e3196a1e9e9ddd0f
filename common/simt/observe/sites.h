// Numbers the accesses of a kernel: each place in the source together with the kind of access, and
// the calls of inlined functions that lead there.
// Called by Observers; the race finder and the counters keep these numbers instead of pointers.
//
// Invariant: numbers count from 0 in the order of first use within a launch, below kMost.
#pragma once

#include <array>
#include <vector>

#include "simt/observe/regions.h"

namespace td::simt {

/// An access in the source: `s[i] += 1` is two of them, a read and a write.
struct AccessSite {
  const Site* site = nullptr;
  AccessKind kind = AccessKind::kRead;
  Space space = Space::kGlobal;
  Region* usual = nullptr;  ///< Of its last access.
  bool is_volatile = false;
  const std::vector<const Site*>* calls = nullptr;  ///< As in Access.
};

class Sites {
 public:
  static constexpr std::size_t kMost = 4096;  ///< More have the last number in common.

  void begin_launch() {
    sites_.clear();
    slots_.fill(0);
  }
  std::uint16_t number(const Access& access) {
    std::size_t slot = hash(access) % kSlots;
    while (slots_[slot] != 0) {
      const std::uint16_t number = slots_[slot] - 1;
      const AccessSite& known = sites_[number];
      if (known.site == access.site && known.kind == access.kind && known.space == access.space &&
          known.calls == access.calls)
        return number;
      slot = (slot + 1) % kSlots;
    }
    if (sites_.size() == kMost) return kMost - 1;
    sites_.push_back(
        {access.site, access.kind, access.space, nullptr, access.is_volatile, access.calls});
    slots_[slot] = static_cast<std::uint16_t>(sites_.size());
    return slots_[slot] - 1;
  }
  AccessSite& operator[](std::uint16_t number) { return sites_[number]; }
  const AccessSite& operator[](std::uint16_t number) const { return sites_[number]; }
  std::size_t size() const { return sites_.size(); }

 private:
  static constexpr std::size_t kSlots = 2 * kMost;

  static std::size_t hash(const Access& access) {
    const auto kind = static_cast<std::size_t>(access.kind);
    const auto space = static_cast<std::size_t>(access.space);
    const std::size_t key = reinterpret_cast<std::uintptr_t>(access.site) + kind * 3 + space * 7 +
                            reinterpret_cast<std::uintptr_t>(access.calls) * 31;
    return key * 0x9e3779b97f4a7c15u >> 40;
  }

  std::vector<AccessSite> sites_;
  std::array<std::uint16_t, kSlots> slots_{};  // the number + 1; 0: free
};

}  // namespace td::simt
