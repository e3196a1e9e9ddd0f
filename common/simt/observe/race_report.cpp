// The texts of races: both threads, both places, the barriers around them, and the cure. Invariant:
// changes no state of the race finder.
#include <algorithm>

#include "simt/observe/race_finder.h"

namespace td::simt {
namespace {

const char* noun(AccessKind kind) {
  switch (kind) {
    case AccessKind::kRead:
      return "read";
    case AccessKind::kWrite:
      return "write";
    case AccessKind::kAtomic:
      return "atomic";
  }
  return "";
}

std::string line_of(const Site* site) { return std::to_string(site->line); }

bool same_line(const AccessSite& a, const AccessSite& b) {
  return a.site->line == b.site->line && a.site->file == b.site->file;
}

}  // namespace

void RaceFinder::end_launch() {
  for (const Race& race : races_) {
    if (is_part_of_update(race)) continue;
    findings_.add(Finding{.kind = Finding::Kind::kRace,
                          .is_note = race.same_value,
                          .kernel = kernel_,
                          .site = sites_[race.later].site,
                          .block = race.block,
                          .thread = race.thread,
                          .text = text(race),
                          .count = race.pairs});
  }
}

/// Whether the two writes are those of `x[i] += 1` or its like, whose reads race as well.
bool RaceFinder::is_update(const Race& race) const {
  const AccessSite &first = sites_[race.earlier], &second = sites_[race.later];
  if (first.kind != AccessKind::kWrite || second.kind != AccessKind::kWrite) return false;
  return same_line(first, second) &&
         std::any_of(races_.begin(), races_.end(), [&](const Race& other) {
           const AccessSite &write = sites_[other.earlier], &read = sites_[other.later];
           return other.region == race.region && other.between_blocks == race.between_blocks &&
                  write.kind == AccessKind::kWrite && read.kind == AccessKind::kRead &&
                  same_line(write, first) && same_line(read, first);
         });
}

/// Whether the race with a read is told with the two writes of the same update.
bool RaceFinder::is_part_of_update(const Race& race) const {
  const AccessSite &first = sites_[race.earlier], &second = sites_[race.later];
  const bool reads = first.kind == AccessKind::kRead || second.kind == AccessKind::kRead;
  if (!reads || !same_line(first, second)) return false;
  return std::any_of(races_.begin(), races_.end(), [&](const Race& other) {
    return other.region == race.region && other.between_blocks == race.between_blocks &&
           !other.same_value && same_line(sites_[other.later], first) && is_update(other);
  });
}

std::string RaceFinder::text(const Race& race) const {
  const AccessSite &first = sites_[race.earlier], &second = sites_[race.later];
  const auto name = [&](uint3 thread, uint3 block) {
    return race.between_blocks ? thread_of_block(thread, block) : "thread " + triple(thread);
  };
  const std::string me = name(race.thread, race.block);
  const std::string other = name(race.earlier_thread, race.earlier_block);
  const std::string element = race.region->element(race.address);
  std::string text = place(second.site) + ": " + me + ' ';
  if (race.same_value)
    text += "writes " + element + ", to which " + other + " writes the same value (" +
            place(first.site) + "): write after write";
  else if (is_update(race))
    text += "reads and writes " + element + " while " + other + " does the same (" +
            place(first.site) + "): an update that is not atomic";
  else
    text += verb(second.kind) + (' ' + element) + " while " + other + ' ' + verb(first.kind) +
            " it (" + place(first.site) + "): " + noun(second.kind) + " after " + noun(first.kind);
  text += "\n  " + circumstances(race) + "; " + count_of(race.pairs, "such pair") + ". ";
  if (first.is_volatile || second.is_volatile) text += "volatile orders nothing. ";
  return text + cure(race);
}

std::string RaceFinder::circumstances(const Race& race) const {
  if (race.between_blocks) return "nothing orders the blocks of a launch";
  const std::string where = "in block " + triple(race.block) + ", ";
  const Site *before = race.barrier_before, *after = race.barrier_after;
  if (before && before == after)
    return where + "both between two arrivals at the barrier of line " + line_of(before);
  if (before && after)
    return where + "both between the barriers of lines " + line_of(before) + " and " +
           line_of(after);
  if (before) return where + "both after the barrier of line " + line_of(before);
  if (after) return where + "both before the barrier of line " + line_of(after);
  return where + "without a barrier in the kernel";
}

std::string RaceFinder::cure(const Race& race) const {
  const AccessSite &first = sites_[race.earlier], &second = sites_[race.later];
  if (race.same_value) return "Harmless as long as the values are equal; one thread is enough";
  if (is_update(race))
    return "Cure: an atomic function, such as atomicAdd(&" + race.region->element(race.address) +
           ", ...)";
  if (first.kind == AccessKind::kWrite && second.kind == AccessKind::kWrite)
    return "Cure: let one thread write each element";
  if (race.between_blocks)
    return "Cure: keep to elements of the own block, or start a second kernel";
  const bool in_warp = race.in_one_warp && warp_barriers_;
  return std::string("Cure: ") + (in_warp ? "__syncwarp()" : "__syncthreads()") +
         " in front of line " + line_of(second.site) + "'s " + noun(second.kind);
}

}  // namespace td::simt
