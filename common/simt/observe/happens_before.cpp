// The order of accesses. Invariant: an order that is assumed here is guaranteed by CUDA, or a
// pattern in CUDA's guide; if it is too liberal, a race is missed, never reported falsely.
#include "simt/observe/happens_before.h"

#include <algorithm>
#include <limits>

namespace td::simt {
namespace {

/// A count of segments that does not grow further: all of the lane's accesses count as ordered.
constexpr std::uint16_t kManySegments = std::numeric_limits<std::uint16_t>::max();

}  // namespace

bool HappensBefore::begin_launch(const LaunchInfo& launch) {
  shape_ = launch.block;
  threads_ = launch.block.x * launch.block.y * launch.block.z;
  const bool goes_on = next_ < std::numeric_limits<std::uint32_t>::max() / 2;
  if (!goes_on) next_ = 1;
  launch_ = block_ = epoch_ = next_;
  blocks_.clear();
  warps_.clear();
  warps_used_ = fences_ = false;
  fenced_.clear();
  releases_.clear();
  acquires_.clear();
  return goes_on;
}

void HappensBefore::begin_block(uint3 block) {
  block_ = epoch_ = next_;
  next_ += threads_;
  blocks_.push_back({block_, block});
  acquires_.clear();
  fenced_end_ = 0;
  warps_.resize((threads_ + 31) / 32);  // only now: a rejected launch may have any number
  fenced_.resize(threads_);
  if (fences_) std::fill(fenced_.begin(), fenced_.end(), 0);
  if (warps_used_) std::fill(warps_.begin(), warps_.end(), Warp{});
  warps_used_ = false;
}

void HappensBefore::barrier() {
  epoch_ = next_;
  next_ += threads_;
  if (warps_used_) std::fill(warps_.begin(), warps_.end(), Warp{});
  warps_used_ = false;
  if (fences_ && std::any_of(fenced_.begin(), fenced_.end(), [](auto f) { return f != 0; }))
    fenced_end_ = epoch_;
}

/// Each lane of the mask gets the order known to any of them, and that their segments are over.
void HappensBefore::warp_barrier(std::uint32_t warp, std::uint32_t mask) {
  warps_used_ = true;
  Warp& lanes = warps_[warp];
  std::uint16_t joined[32] = {};
  for (int lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1)) continue;
    for (int i = 0; i < 32; ++i) joined[i] = std::max(joined[i], lanes.known[lane][i]);
  }
  for (int lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1) {
      if (lanes.own[lane] < kManySegments) ++lanes.own[lane];
      joined[lane] = lanes.own[lane];
    }
  for (int lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1) std::copy(std::begin(joined), std::end(joined), lanes.known[lane]);
}

void HappensBefore::fence(const ThreadInfo& thread) {
  fences_ = true;
  fenced_[thread.linear] = epoch_;
}

/// A release if it writes after a fence, and an acquire of all earlier releases at the address.
void HappensBefore::atomic(const ThreadInfo& thread, std::uintptr_t address, bool writes) {
  if (!fences_) return;
  std::vector<Release>& releases = releases_[address];
  const Stamp at = now(thread);
  if (!releases.empty()) acquire({&releases, releases.size(), at});
  const std::uint32_t fenced = fenced_[thread.linear];
  if (writes && (fenced != 0 || fenced_end_ != 0))
    releases.push_back({block_, std::max(fenced, fenced_end_), fenced != 0 ? at.moment : 0});
}

/// A loop that waits acquires the same releases again and again.
void HappensBefore::acquire(const Acquire& acquire) {
  constexpr std::size_t kFlags = 4;  // of one loop
  const std::size_t count = std::min(kFlags, acquires_.size());
  const bool is_known = std::any_of(acquires_.end() - static_cast<std::ptrdiff_t>(count),
                                    acquires_.end(), [&](const Acquire& known) {
                                      return known.releases == acquire.releases &&
                                             known.count == acquire.count &&
                                             known.at.moment == acquire.at.moment;
                                    });
  if (!is_known) acquires_.push_back(acquire);
}

bool HappensBefore::ordered_by_warp(const Stamp& earlier, const ThreadInfo& thread) const {
  if (earlier.moment < epoch_) return false;
  const std::uint32_t other = earlier.moment - epoch_;
  if (other / 32 != thread.warp()) return false;
  const std::uint16_t known = warps_[thread.warp()].known[thread.lane()][other % 32];
  return earlier.segment < known || known == kManySegments;
}

bool HappensBefore::ordered_by_atomic(std::uint32_t moment, const ThreadInfo& thread) const {
  for (const Acquire& acquire : acquires_) {
    const bool known = acquire.at.moment < epoch_ || acquire.at.moment == epoch_ + thread.linear ||
                       ordered_by_warp(acquire.at, thread);
    if (known && released(acquire, moment)) return true;
  }
  return false;
}

/// Releases are in the order of their blocks; a block may have several.
bool HappensBefore::released(const Acquire& acquire, std::uint32_t moment) {
  const auto begin = acquire.releases->begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(acquire.count);
  auto at = std::upper_bound(begin, end, moment,
                             [](std::uint32_t m, const Release& r) { return m < r.begin; });
  if (at == begin) return false;
  for (const std::uint32_t block = std::prev(at)->begin; at != begin;) {
    --at;
    if (at->begin != block) return false;
    if (moment < at->end || moment == at->own) return true;
  }
  return false;
}

const HappensBefore::Block& HappensBefore::find_block(const Stamp& stamp) const {
  return *std::prev(
      std::upper_bound(blocks_.begin(), blocks_.end(), stamp.moment,
                       [](std::uint32_t moment, const Block& b) { return moment < b.first; }));
}

uint3 HappensBefore::block_of(const Stamp& stamp) const { return find_block(stamp).index; }

std::uint32_t HappensBefore::linear_of(const Stamp& stamp) const {
  return (stamp.moment - find_block(stamp).first) % threads_;
}

uint3 HappensBefore::thread_of(const Stamp& stamp) const {
  const std::uint32_t linear = linear_of(stamp);
  return {linear % shape_.x, linear / shape_.x % shape_.y, linear / shape_.x / shape_.y};
}

}  // namespace td::simt
