// The race finder's bookkeeping for each access. Invariant: a stamp that is older than the launch,
// or for shared memory than the block, counts as none, so that cells are never cleared.
#include "simt/observe/race_finder.h"

#include <algorithm>
#include <cstring>

namespace td::simt {
namespace {

/// On a path, the start of the copy whose write is at the place.
std::uint16_t start_of(std::uint16_t site) {
  return static_cast<std::uint16_t>(site + Sites::kMost);
}

}  // namespace

void RaceFinder::begin_launch(const LaunchInfo& launch, const Regions& regions) {
  if (!order_.begin_launch(launch)) cells_.clear();
  if (cells_.size() < regions.cells()) cells_.resize(regions.cells());
  races_.clear();
  seen_.assign(2 * Sites::kMost, 0);
  compared_.assign(Sites::kMost, false);
  path_.clear();
  undecided_ = 0;
  kernel_ = launch.kernel;
  warp_barriers_ = false;
}

void RaceFinder::begin_block(uint3 block) {
  order_.begin_block(block);
  block_ = block;
  last_barrier_ = nullptr;
}

void RaceFinder::end_block() { close(nullptr); }

void RaceFinder::barrier(const Site* site) {
  close(site);
  last_barrier_ = site;
  order_.barrier();
}

void RaceFinder::warp_barrier(std::uint32_t warp, std::uint32_t mask) {
  warp_barriers_ = true;
  order_.warp_barrier(warp, mask);
}

/// The races since the previous barrier end at this barrier.
void RaceFinder::close(const Site* barrier) {
  compare_values();
  learn_order();
  path_.clear();
  for (auto race = races_.rbegin(); race != races_.rend(); ++race) {
    if (!race->is_open) continue;
    race->barrier_after = barrier;
    race->is_open = false;
  }
}

void RaceFinder::access(const ThreadInfo& thread, const Access& access, const Region& region,
                        std::uint16_t site) {
  Stamp me = order_.now(thread);
  me.site = site;
  if (!overwrites_.empty() && (overwriter_ != me.moment || overwrites_.size() >= kMostOverwrites))
    compare_values();
  const std::uint16_t step = access.is_start ? start_of(site) : site;
  if (path_moment_ != me.moment || seen_[step] != me.moment) follow(me.moment, step);
  for_cells(region, access.address, access.bytes, [&](std::size_t cell, std::uint32_t bytes) {
    me.bytes = static_cast<std::uint16_t>(bytes & 15);
    if (access.is_start) {  // races with the reads before it; the write itself comes later
      Cell reads = cells_[cell];
      reads.write = {};
      return on_write(reads, me, thread, access, region);
    }
    if (access.is_compare) begin_compare(cells_[cell], me);
    if (access.kind == AccessKind::kRead)
      on_read(cells_[cell], me, thread, access, region);
    else
      on_write(cells_[cell], me, thread, access, region);
  });
  if (region.shared && access.kind != AccessKind::kAtomic && !access.is_volatile) return;
  if (is_atomic(sites_[site], region))
    order_.atomic(thread, access.address, access.kind != AccessKind::kRead);
  else if (!region.shared && access.kind == AccessKind::kWrite)
    order_.global_write(thread);
}

/// An atomicCAS after a plain read of the same thread notices whether the value was old.
void RaceFinder::begin_compare(const Cell& cell, const Stamp& me) {
  for (const Stamp& read : cell.reads)
    if (read.moment == me.moment) compared_[read.site] = true;
}

/// PTX: volatile accesses are relaxed, as atomic functions are. In shared memory, in a kernel
/// without fences, they usually stand for a missing __syncwarp().
bool RaceFinder::is_atomic(const AccessSite& site, const Region& region) const {
  return site.kind == AccessKind::kAtomic ||
         (site.is_volatile && (!region.shared || order_.has_fences()));
}

bool RaceFinder::conflicts(const Stamp& earlier, const Stamp& me, const ThreadInfo& thread,
                           const Region& region) const {
  const std::uint32_t first = region.shared ? order_.first_of_block() : order_.first_of_launch();
  return earlier.moment >= first && (earlier.bytes & me.bytes) != 0 &&
         !(is_atomic(sites_[earlier.site], region) && is_atomic(sites_[me.site], region)) &&
         !order_.ordered(earlier, thread);
}

void RaceFinder::on_read(Cell& cell, const Stamp& me, const ThreadInfo& thread,
                         const Access& access, const Region& region) {
  if (conflicts(cell.write, me, thread, region)) hazard(cell.write, me, thread, access, region);
  Stamp& last = cell.reads[0];
  if (last.moment != me.moment) {
    cell.reads[1] = last;
    last = me;
  } else {  // the later of the two represents both
    const std::uint16_t bytes = last.bytes | me.bytes;
    last = me;
    last.bytes = bytes & 15;
  }
}

void RaceFinder::on_write(Cell& cell, const Stamp& me, const ThreadInfo& thread,
                          const Access& access, const Region& region) {
  if (conflicts(cell.write, me, thread, region)) hazard(cell.write, me, thread, access, region);
  for (Stamp& read : cell.reads) {
    if (conflicts(read, me, thread, region)) hazard(read, me, thread, access, region);
    if ((read.bytes & ~me.bytes) == 0) read = {};
  }
  cell.write = me;
}

RaceFinder::Race& RaceFinder::race_of(const Stamp& earlier, const Stamp& me, const Region& region,
                                      bool between_blocks) {
  for (Race& race : races_)
    if (race.first == earlier.site && race.second == me.site && race.region == &region &&
        race.between_blocks == between_blocks)
      return race;
  races_.push_back({earlier.site, me.site, &region, between_blocks});
  ++undecided_;
  return races_.back();
}

void RaceFinder::hazard(const Stamp& earlier, const Stamp& me, const ThreadInfo& thread,
                        const Access& access, const Region& region) {
  const bool between_blocks = !order_.in_this_block(earlier);
  Race& race = race_of(earlier, me, region, between_blocks);
  const AccessSite &first = sites_[earlier.site], &second = sites_[me.site];
  if (race.pairs++ == 0) {
    // Values of two different lines may be equal by chance, for these inputs.
    race.same_value = access.kind == AccessKind::kWrite && first.kind == AccessKind::kWrite &&
                      first.site == second.site;
    race.first_thread = order_.thread_of(earlier);
    race.first_block = order_.block_of(earlier);
    race.second_thread = thread.index;
    race.second_block = block_;
    race.address = access.address;
    race.barrier_before = last_barrier_;
  }
  race.by_start |= access.is_start;
  race.in_one_warp &= !between_blocks && order_.linear_of(earlier) / 32 == thread.warp();
  race.same_value &= access.bytes <= 16;
  if (!race.same_value) return;
  Overwrite overwrite{
      static_cast<std::size_t>(&race - races_.data()), access.address, access.bytes, {}};
  std::memcpy(overwrite.before.data(), reinterpret_cast<const void*>(access.address), access.bytes);
  overwrites_.push_back(overwrite);
  overwriter_ = me.moment;
}

/// Adds a place to the path of the thread that runs.
void RaceFinder::follow(std::uint32_t moment, std::uint16_t step) {
  if (path_moment_ != moment) {
    learn_order();
    path_.clear();
    path_moment_ = moment;
  }
  path_.push_back(step);
  seen_[step] = moment;
}

/// A thread that reached both places shows which comes first in the program.
void RaceFinder::learn_order() {
  if (undecided_ == 0) return;
  const auto place = [&](std::uint16_t step) {
    return std::find(path_.begin(), path_.end(), step) - path_.begin();
  };
  const auto end = std::ssize(path_);
  for (Race& race : races_) {
    if (race.order != Race::InProgram::kUnknown) continue;
    const auto first = place(race.first), second = place(race.second);
    // A copy whose write is not on the path writes after it.
    const auto start = race.by_start ? place(start_of(race.second)) : end;
    if (first == end || (second == end && start == end)) continue;
    race.order = second < first ? Race::InProgram::kSwapped : Race::InProgram::kSame;
    race.starts_before_read = start < first && first < second;
    --undecided_;
  }
}

/// The writes of the last thread have happened: two writes of one value are a note only.
void RaceFinder::compare_values() {
  for (const Overwrite& write : overwrites_)
    if (std::memcmp(write.before.data(), reinterpret_cast<const void*>(write.address),
                    write.bytes) != 0)
      races_[write.race].same_value = false;
  overwrites_.clear();
}

}  // namespace td::simt
