// The texts of races: both threads, both places, the barriers around them, and the fix. Invariant:
// changes no state of the race finder.
#include <algorithm>
#include <utility>

#include "simt/observe/race_finder.h"
#include "simt/texts.h"

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

bool same_line(const AccessSite& a, const AccessSite& b) {
  return a.site->line == b.site->line && a.site->file == b.site->file;
}

}  // namespace

/// Whether the access that happened second comes first in the program, so that it is meant to
/// happen first on a GPU. A thread that did both decides, otherwise the lines.
bool RaceFinder::is_swapped(const Race& race) const {
  if (race.order != Race::InProgram::kUnknown) return race.order == Race::InProgram::kSwapped;
  return sites_[race.second].site->line < sites_[race.first].site->line;
}

/// One pair of places is one race, whichever thread ran first.
void RaceFinder::put_in_program_order() {
  std::vector<Race> ordered;
  for (Race race : races_) {
    if (is_swapped(race)) {
      std::swap(race.first, race.second);
      std::swap(race.first_thread, race.second_thread);
      std::swap(race.first_block, race.second_block);
    }
    const auto same = std::find_if(ordered.begin(), ordered.end(), [&](const Race& other) {
      return other.first == race.first && other.second == race.second &&
             other.region == race.region && other.between_blocks == race.between_blocks;
    });
    if (same == ordered.end()) {
      ordered.push_back(race);
      continue;
    }
    same->pairs += race.pairs;
    same->in_one_warp &= race.in_one_warp;
    same->same_value &= race.same_value;
  }
  races_ = std::move(ordered);
}

void RaceFinder::end_launch() {
  put_in_program_order();
  for (const Race& race : races_) {
    // If the write may come too late, a read of unwritten memory is a consequence of the race.
    for (const std::uint16_t site : {race.first, race.second})
      findings_.remove(Finding::Kind::kUninitialized, sites_[site].site, race.region);
    if (is_part_of_update(race)) continue;
    findings_.add(Finding{.kind = Finding::Kind::kRace,
                          .is_note = race.same_value,
                          .kernel = kernel_,
                          .site = sites_[race.second].site,
                          .block = race.second_block,
                          .thread = race.second_thread,
                          .text = text(race),
                          .count = race.pairs});
  }
}

/// Whether the two writes belong to an update such as `x[i] += 1`, whose reads race as well.
bool RaceFinder::is_update(const Race& race) const {
  const AccessSite &first = sites_[race.first], &second = sites_[race.second];
  if (first.kind != AccessKind::kWrite || second.kind != AccessKind::kWrite) return false;
  return same_line(first, second) &&
         std::any_of(races_.begin(), races_.end(), [&](const Race& other) {
           const AccessSite &one = sites_[other.first], &two = sites_[other.second];
           return other.region == race.region && other.between_blocks == race.between_blocks &&
                  (one.kind == AccessKind::kRead) != (two.kind == AccessKind::kRead) &&
                  same_line(one, first) && same_line(two, first);
         });
}

/// Whether the race with a read is reported with the two writes of the same update.
bool RaceFinder::is_part_of_update(const Race& race) const {
  const AccessSite &first = sites_[race.first], &second = sites_[race.second];
  const bool reads = first.kind == AccessKind::kRead || second.kind == AccessKind::kRead;
  if (!reads || !same_line(first, second)) return false;
  return std::any_of(races_.begin(), races_.end(), [&](const Race& other) {
    return other.region == race.region && other.between_blocks == race.between_blocks &&
           !other.same_value && same_line(sites_[other.second], first) && is_update(other);
  });
}

std::string RaceFinder::text(const Race& race) const {
  const AccessSite &first = sites_[race.first], &second = sites_[race.second];
  const auto name = [&](uint3 thread, uint3 block) {
    return race.between_blocks ? thread_of_block(thread, block) : "thread " + text_of(thread);
  };
  const std::string me = name(race.second_thread, race.second_block);
  const std::string other = name(race.first_thread, race.first_block);
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
  const std::string where = "in block " + text_of(race.second_block) + ", ";
  const Site *before = race.barrier_before, *after = race.barrier_after;
  if (before && before == after)
    return where + "both between two arrivals at the barrier of line " +
           std::to_string(before->line);
  if (before && after)
    return where + "both between the barriers of lines " + std::to_string(before->line) + " and " +
           std::to_string(after->line);
  if (before) return where + "both after the barrier of line " + std::to_string(before->line);
  if (after) return where + "both before the barrier of line " + std::to_string(after->line);
  return where + "without a barrier in the block";
}

std::string RaceFinder::cure(const Race& race) const {
  const AccessSite &first = sites_[race.first], &second = sites_[race.second];
  if (race.same_value) return "Harmless as long as the values are equal; one thread is enough";
  if (is_update(race))
    return "Cure: let one thread update each element, or use an atomic function, such as "
           "atomicAdd(&" +
           race.region->element(race.address) + ", ...)";
  if (first.kind == AccessKind::kWrite && second.kind == AccessKind::kWrite)
    return "Cure: let one thread write each element";
  if (race.between_blocks)
    return "Cure: keep to elements of the own block, start a second kernel, or order the blocks by "
           "__threadfence() and an atomic function";
  const std::string barrier =
      race.in_one_warp && warp_barriers_ ? "__syncwarp()" : "__syncthreads()";
  if (same_line(first, second))
    return "Cure: read into a variable, then " + barrier + ", then write";
  return "Cure: " + barrier + " in front of line " + std::to_string(second.site->line) + "'s " +
         noun(second.kind);
}

}  // namespace td::simt
