// The texts of races: both threads, both places, the barriers around them, and the fix. Invariant:
// changes no state of the race finder.
#include <algorithm>
#include <set>
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

/// From the kernel inwards: the calls of inlined functions, then the place itself.
std::vector<const Site*> path_to(const AccessSite& access) {
  std::vector<const Site*> path;
  if (access.calls) path = *access.calls;
  path.push_back(access.site);
  return path;
}

/// The lines of two accesses in the innermost function that contains both: if a function does them
/// that both lines call, a barrier belongs between the calls.
struct Lines {
  const Site *first, *second;
};
Lines lines_of(const AccessSite& first, const AccessSite& second) {
  const std::vector<const Site*> a = path_to(first), b = path_to(second);
  std::size_t i = 0;
  while (i + 1 < std::min(a.size(), b.size()) && a[i] == b[i]) ++i;
  return {a[i], b[i]};
}

std::string lines_of_barriers(const Site& before, const Site& after, const Site& here) {
  if (before.file == here.file && after.file == here.file)
    return "lines " + std::to_string(before.line) + " and " + std::to_string(after.line);
  return line_of(before, here) + " and " + line_of(after, here);
}

bool same_line(const AccessSite& a, const AccessSite& b) {
  const auto [first, second] = lines_of(a, b);
  return first->line == second->line && first->file == second->file;
}

}  // namespace

/// Whether the access that happened second comes first in the program, so that it is meant to
/// happen first on a GPU. A thread that did both decides, otherwise the lines.
bool RaceFinder::is_swapped(const Race& race) const {
  if (race.order != Race::InProgram::kUnknown) return race.order == Race::InProgram::kSwapped;
  const auto [first, second] = lines_of(sites_[race.first], sites_[race.second]);
  return second->line < first->line;
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
    same->by_start |= race.by_start;
    same->in_one_warp &= race.in_one_warp;
    same->same_value &= race.same_value;
  }
  races_ = std::move(ordered);
}

void RaceFinder::end_launch() {
  put_in_program_order();
  for (const Race& race : races_)
    // If the write may come too late, a read of unwritten memory is a consequence of the race.
    for (const std::uint16_t site : {race.first, race.second})
      findings_.remove(Finding::Kind::kUninitialized, sites_[site].site, race.region);
  const auto causes = group_by_cause();
  for (std::size_t i = 0; i < races_.size(); ++i) {
    const Race& race = races_[i];
    if (is_part_of_update(race) || causes[i] != &race) continue;
    Finding finding{.kind = Finding::Kind::kRace,
                    .is_note = is_harmless(race),
                    .kernel = kernel_,
                    .site = lines_of(sites_[race.first], sites_[race.second]).second,
                    .block = race.second_block,
                    .thread = race.second_thread,
                    .text = text(race),
                    .count = 0};
    std::vector<const Race*> others;
    for (std::size_t other = 0; other < races_.size(); ++other) {
      if (causes[other] != &race) continue;
      finding.count += races_[other].pairs;
      if (other != i) others.push_back(&races_[other]);
    }
    finding.text += text_of_others(race, others);
    findings_.add(std::move(finding));
  }
}

/// For each race the one that is reported for both: a barrier that cures that one cures it, too.
std::vector<const RaceFinder::Race*> RaceFinder::group_by_cause() const {
  const auto lines = [&](const Race& race) {
    return lines_of(sites_[race.first], sites_[race.second]);
  };
  std::vector<const Race*> causes, by_line;
  for (const Race& race : races_) {
    causes.push_back(&race);
    if (is_cured_by_barrier(race)) by_line.push_back(&race);
  }
  std::stable_sort(by_line.begin(), by_line.end(), [&](const Race* a, const Race* b) {
    return lines(*a).second->line < lines(*b).second->line;
  });
  for (auto leader = by_line.begin(); leader != by_line.end(); ++leader) {
    if (causes[static_cast<std::size_t>(*leader - races_.data())] != *leader) continue;
    const Site& barrier = *lines(**leader).second;
    for (auto other = leader + 1; other != by_line.end(); ++other) {
      const auto [first, second] = lines(**other);
      const bool is_between = first->file == barrier.file && second->file == barrier.file &&
                              first->function == barrier.function &&
                              second->function == barrier.function && first->line < barrier.line &&
                              barrier.line <= second->line;
      const Race*& cause = causes[static_cast<std::size_t>(*other - races_.data())];
      if (is_between && cause == *other && (*other)->barrier_before == (*leader)->barrier_before)
        cause = *leader;
    }
  }
  return causes;
}

bool RaceFinder::is_cured_by_barrier(const Race& race) const {
  const AccessSite &first = sites_[race.first], &second = sites_[race.second];
  const auto lines = lines_of(first, second);
  return !race.between_blocks && !is_harmless(race) && !is_update(race) &&
         !is_part_of_update(race) && !race.starts_before_read &&
         lines.first->line < lines.second->line;
}

/// Whether the second access is the write of an asynchronous copy, which may come at any time.
bool RaceFinder::is_started(const Race& race) const {
  return race.by_start && sites_[race.second].kind == AccessKind::kWrite;
}

/// @param others the races with the same cause.
std::string RaceFinder::text_of_others(const Race& race,
                                       const std::vector<const Race*>& others) const {
  if (others.empty()) return "";
  constexpr std::size_t kMost = 4;
  std::set<std::pair<int, int>> lines;
  const auto pair_of = [&](const Race& of) {
    const auto [first, second] = lines_of(sites_[of.first], sites_[of.second]);
    return std::pair(first->line, second->line);
  };
  for (const Race* other : others) lines.insert(pair_of(*other));
  lines.erase(pair_of(race));
  std::string text = "\n  The same barrier is missing for " + count_of(others.size(), "more pair") +
                     " of accesses";
  std::size_t count = 0;
  for (const auto& [first, second] : lines)
    if (++count <= kMost)
      text += (count == 1 ? ": lines " : ", ") + std::to_string(first) + " and " +
              std::to_string(second);
  return count > kMost ? text + ", ..." : text;
}

/// A thread reads before its atomicCAS: if the value was old, atomicCAS fails and the loop repeats.
bool RaceFinder::is_start_of_compare(const Race& race) const {
  const AccessSite &first = sites_[race.first], &second = sites_[race.second];
  return (first.kind == AccessKind::kRead && second.kind == AccessKind::kAtomic &&
          compared_[race.first]) ||
         (second.kind == AccessKind::kRead && first.kind == AccessKind::kAtomic &&
          compared_[race.second]);
}

bool RaceFinder::is_harmless(const Race& race) const {
  return race.same_value || is_start_of_compare(race);
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
  const auto lines = lines_of(first, second);
  const auto name = [&](uint3 thread, uint3 block) {
    return race.between_blocks ? thread_of_block(thread, block) : "thread " + text_of(thread);
  };
  const std::string me = name(race.second_thread, race.second_block);
  const std::string other = name(race.first_thread, race.first_block);
  const std::string element = race.region->element(race.address);
  std::string text = place(lines.second) + ": " + me + ' ';
  if (race.same_value)
    text += "writes " + element + ", to which " + other + " writes the same value (" +
            place(lines.first) + "): write after write";
  else if (is_update(race))
    text += "reads and writes " + element + " while " + other + " does the same (" +
            place(lines.first) + "): an update that is not atomic";
  else
    text += (is_started(race) ? "starts to write" : verb(second.kind)) + (' ' + element) +
            " while " + other + ' ' + verb(first.kind) + " it (" + place(lines.first) +
            "): " + noun(second.kind) + " after " + noun(first.kind);
  text += "\n  " + circumstances(race) + "; " + count_of(race.pairs, "such pair") + ". ";
  if (lines.first != first.site || lines.second != second.site)
    text += "The accesses are " + place(first.site) + " in " + first.site->function + " and " +
            place(second.site) + " in " + second.site->function + ". ";
  if (first.is_volatile || second.is_volatile) text += "volatile orders nothing. ";
  return text + cure(race);
}

std::string RaceFinder::circumstances(const Race& race) const {
  if (race.between_blocks) return "nothing orders the blocks of a launch";
  const std::string where = "in block " + text_of(race.second_block) + ", ";
  const Site& here = *lines_of(sites_[race.first], sites_[race.second]).second;
  const Site *before = race.barrier_before, *after = race.barrier_after;
  if (before && before == after)
    return where + "both between two arrivals at the barrier of " + line_of(*before, here);
  if (before && after)
    return where + "both between the barriers of " + lines_of_barriers(*before, *after, here);
  if (before) return where + "both after the barrier of " + line_of(*before, here);
  if (after) return where + "both before the barrier of " + line_of(*after, here);
  return where + "without a barrier in the block";
}

std::string RaceFinder::cure(const Race& race) const {
  const AccessSite &first = sites_[race.first], &second = sites_[race.second];
  if (is_start_of_compare(race))
    return "Harmless: where the value is old, atomicCAS fails, and the loop repeats";
  if (race.same_value) return "Harmless as long as the values are equal; one thread is enough";
  if (is_update(race))
    return "Cure: let one thread update each element, or use an atomic function, such as "
           "atomicAdd(&" +
           race.region->element(race.address) + ", ...)";
  const std::string line = std::to_string(lines_of(first, second).second->line);
  if (is_started(race) && race.starts_before_read)
    return "Cure: copy to another buffer, or start the copy of line " + line +
           " after the reads and a __syncthreads()";
  if (first.kind == AccessKind::kWrite && second.kind == AccessKind::kWrite)
    return "Cure: let one thread write each element" +
           (race.between_blocks || same_line(first, second)
                ? ""
                : ", or __syncthreads() in front of line " + line + "'s write");
  if (race.between_blocks)
    return "Cure: keep to elements of the own block, start a second kernel, or order the blocks by "
           "__threadfence() and an atomic function";
  const bool is_of_warp = warp_barriers_ || first.is_volatile || second.is_volatile;
  const std::string barrier = race.in_one_warp && is_of_warp ? "__syncwarp()" : "__syncthreads()";
  if (same_line(first, second))
    return "Cure: read into a variable, then " + barrier + ", then write";
  return "Cure: " + barrier + " in front of line " + line + "'s " +
         (is_started(race) ? "copy" : noun(second.kind));
}

}  // namespace td::simt
