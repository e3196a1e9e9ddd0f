// Sums over the places of a profile. Invariant: reads the profile and changes nothing.
#include "simt/observe/profile.h"

#include <algorithm>

namespace td::simt {

const char* name_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::kRead:
      return "load";
    case AccessKind::kWrite:
      return "store";
    case AccessKind::kAtomic:
      return "atomic";
  }
  return "";
}

Counts& Counts::operator+=(const Counts& other) {
  requests += other.requests;
  lanes += other.lanes;
  bytes += other.bytes;
  transfers += other.transfers;
  ideal += other.ideal;
  worst_ways = std::max(worst_ways, other.worst_ways);
  same_word = std::max(same_word, other.same_word);
  return *this;
}

Counts Profile::sum(Space space, AccessKind kind, int line) const {
  Counts total;
  for (const SiteProfile& place : sites)
    if (place.space == space && place.kind == kind && (line == 0 || place.site->line == line))
      total += place;
  return total;
}

Counts Profile::global() const {
  Counts total = global(kLoad);
  return total += global(kStore);
}

Counts Profile::shared() const {
  Counts total = shared(kLoad);
  return total += shared(kStore);
}

Counts Profile::of(std::string_view variable, AccessKind kind) const {
  Counts total;
  for (const SiteProfile& place : sites)
    if (place.kind == kind && place.variable == variable) total += place;
  return total;
}

const SiteProfile* Profile::worst(Space space) const {
  const SiteProfile* worst = nullptr;
  for (const SiteProfile& place : sites)
    if (place.space == space && place.kind != kAtomic &&
        (!worst || place.excess() > worst->excess()))
      worst = &place;
  return worst;
}

double Profile::intensity() const {
  if (distinct_sectors == 0) return 0;
  return (flops + tensor_flops) / (32.0 * static_cast<double>(distinct_sectors));
}

}  // namespace td::simt
