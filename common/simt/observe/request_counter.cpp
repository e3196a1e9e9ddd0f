// Requests from their first lane to their count. Invariant: between two flushes a place has one
// entry per execution and warp in `opened`, so that late lanes find their request.
#include "simt/observe/request_counter.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace td::simt {

void RequestCounter::begin_launch(const LaunchInfo& launch, const Regions& regions) {
  shape_ = launch.block;
  threads_ = shape_.x * shape_.y * shape_.z;
  places_.clear();
  requests_.clear();
  free_.clear();
  distinct_sectors_ = 0;
  first_region_ = regions.all().data();
  touched_.assign(regions.all().size(), {});
  for (std::size_t i = 0; i < touched_.size(); ++i)
    if (regions.all()[i].argument)
      for (std::vector<bool>* sectors : {&touched_[i].read, &touched_[i].written})
        sectors->resize(regions.all()[i].bytes / kSectorBytes + 2);
}

RequestCounter::Place& RequestCounter::place(std::uint16_t site, const Region& region) {
  if (places_.size() <= site) places_.resize(site + std::size_t{1});
  Place& place = places_[site];
  if (place.executions.empty()) {
    place.executions.resize(threads_);
    place.opened.resize((threads_ + 31) / 32);
    place.profile.site = sites_[site].site;
    place.profile.space = sites_[site].space;
    place.profile.kind = sites_[site].kind;
    place.profile.variable = region.name();
    place.profile.type = region.type();
    place.profile.element_size = region.element_size;
    place.profile.line_offset = static_cast<int>(region.begin % 128);
  }
  place.is_open = true;
  return place;
}

/// A struct or a copy of memory counts as a GPU executes it when the compiler knows no larger
/// alignment: in words of up to four bytes. Lanes that load or store a matrix (wmma) may have 32
/// bytes each.
bool RequestCounter::access(const ThreadInfo& thread, const Access& access, Region& region,
                            std::uint16_t site) {
  Place& at = place(site, region);
  is_ahead_ = false;
  if (access.bytes <= 32 && std::has_single_bit(access.bytes) && !access.is_copy) {
    add(thread, access, region, at);
    return is_ahead_;
  }
  Access piece = access;
  piece.bytes = 1u << std::countr_zero(access.address | access.bytes | 4);
  for (std::uint32_t done = 0; done < access.bytes; done += piece.bytes) {
    piece.address = access.address + done;
    add(thread, piece, region, at);
  }
  return is_ahead_;
}

void RequestCounter::add(const ThreadInfo& thread, const Access& access, Region& region,
                         Place& place) {
  const std::uint32_t execution = place.executions[thread.linear]++;
  Opened& opened = place.opened[thread.warp()];
  if (execution < opened.first) {  // the others were counted without this lane
    const std::uint32_t index = open(thread, access, region);
    fill(requests_[index], thread, access, region);
    return close(place, index);
  }
  const std::uint32_t number = execution - opened.first;
  if (number == opened.indices.size()) {
    opened.indices.push_back(open(thread, access, region));
    if (number >= kMostOpen) limit(place, opened);
  }
  std::uint32_t& index = opened.indices[execution - opened.first];
  Request& request = requests_[index];
  fill(request, thread, access, region);
  if (--request.missing > 0) return;
  close(place, index);
  index = kCounted;
}

void RequestCounter::fill(Request& request, const ThreadInfo& thread, const Access& access,
                          Region& region) {
  const std::uint32_t lane = thread.lane();
  request.lanes.mask |= 1u << lane;
  request.lanes.offset[lane] = static_cast<std::int64_t>(access.address - request.region->begin);
  if (&region == request.region) return;
  request.elsewhere |= 1u << lane;
  request.others[lane] = &region;
}

/// Forgets what is counted; else the other threads get the chance to come, then the oldest requests
/// are counted without them.
void RequestCounter::limit(Place& place, Opened& opened) {
  auto& indices = opened.indices;
  const auto first_open =
      std::find_if(indices.begin(), indices.end(), [](auto index) { return index != kCounted; });
  auto end = std::min(first_open, indices.end() - 1);
  if (end - indices.begin() < static_cast<std::ptrdiff_t>(kMostOpen / 2)) {
    is_ahead_ = ++opened.asked <= threads_;
    if (is_ahead_) return;
    end = indices.begin() + kMostOpen / 2;
    for (auto index = indices.begin(); index != end; ++index)
      if (*index != kCounted) close(place, *index);
  }
  opened.asked = 0;
  opened.first += static_cast<std::uint32_t>(end - indices.begin());
  indices.erase(indices.begin(), end);
}

void RequestCounter::close(Place& place, std::uint32_t index) {
  count(place, requests_[index]);
  free_.push_back(index);
}

std::uint32_t RequestCounter::open(const ThreadInfo& thread, const Access& access, Region& region) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(requests_.size()));
    requests_.emplace_back();
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  Request& request = requests_[index];
  request.lanes.block = block_;
  request.lanes.warp = thread.warp();
  request.lanes.mask = request.elsewhere = 0;
  request.lanes.bytes = access.bytes;
  request.region = &region;
  request.missing = static_cast<int>(std::min(32u, threads_ - thread.warp() * 32));
  return index;
}

void RequestCounter::flush() {
  for (Place& place : places_) {
    if (!place.is_open) continue;
    place.is_open = false;
    std::fill(place.executions.begin(), place.executions.end(), 0);
    for (Opened& opened : place.opened) {
      for (const std::uint32_t index : opened.indices)
        if (index != kCounted) close(place, index);
      opened.indices.clear();
      opened.first = opened.asked = 0;
    }
  }
}

void RequestCounter::count(Place& place, const Request& request) {
  SiteProfile& profile = place.profile;
  RequestCost cost;
  if (profile.space == Space::kShared) {
    if (request.elsewhere != 0) judge_variables(place, request);
    cost = shared_cost(request.lanes);
  } else {
    cost = global_cost(request.lanes, request.region->begin, sectors_);
    touch(*request.region, profile.kind, sectors_);
  }
  const Counts more{1,
                    static_cast<std::size_t>(std::popcount(request.lanes.mask)),
                    cost.bytes,
                    cost.transfers,
                    cost.ideal,
                    cost.ways,
                    profile.kind == AccessKind::kAtomic ? cost.same_word : 0};
  if (profile.requests == 0 || more.excess() > profile.worst_excess) {
    profile.worst = request.lanes;
    profile.worst_excess = more.excess();
  }
  profile += more;
}

void RequestCounter::touch(const Region& region, AccessKind kind,
                           const std::vector<std::uintptr_t>& sectors) {
  Touched& all = touched_[static_cast<std::size_t>(&region - first_region_)];
  std::vector<bool>& touched = kind == AccessKind::kRead ? all.read : all.written;
  const std::uintptr_t first = region.begin / kSectorBytes;
  for (const std::uintptr_t sector : sectors) {
    if (sector - first >= touched.size() || touched[sector - first]) continue;
    touched[sector - first] = true;
    ++distinct_sectors_;
  }
}

/// Lanes of one request with even steps from one shared variable into the next have left the first.
/// Otherwise different variables are not a fault: each lane may choose a pointer.
void RequestCounter::judge_variables(const Place& place, const Request& request) {
  const WarpRequest& lanes = request.lanes;
  for (int lane = 2; lane < 32; ++lane) {
    if ((lanes.mask >> (lane - 2) & 7) != 7) continue;
    const int own = lane - 1;
    const auto region = [&](int i) {
      return request.elsewhere >> i & 1 ? request.others[i] : request.region;
    };
    const std::int64_t step = lanes.offset[own] - lanes.offset[own - 1];
    const bool walks = step != 0 && lanes.offset[lane] - lanes.offset[own] == step;
    if (!walks || region(own) != region(own - 1) || region(lane) == region(own)) continue;
    memory_.left_variable(thread_of(lanes.warp, lane), place.profile.site, place.profile.kind,
                          request.region->begin + static_cast<std::uintptr_t>(lanes.offset[lane]),
                          *region(own), *region(lane));
  }
}

ThreadInfo RequestCounter::thread_of(std::uint32_t warp, int lane) const {
  const std::uint32_t linear = warp * 32 + static_cast<std::uint32_t>(lane);
  return {{linear % shape_.x, linear / shape_.x % shape_.y, linear / shape_.x / shape_.y}, linear};
}

void RequestCounter::end_launch(Profile& profile) const {
  profile.distinct_sectors = distinct_sectors_;
  for (const Place& place : places_) {
    if (place.profile.requests == 0) continue;
    // A line of a function that is inlined into several others is one place.
    const auto same =
        std::find_if(profile.sites.begin(), profile.sites.end(), [&](const SiteProfile& other) {
          return other.site == place.profile.site && other.kind == place.profile.kind &&
                 other.space == place.profile.space;
        });
    if (same == profile.sites.end()) {
      profile.sites.push_back(place.profile);
      continue;
    }
    *same += place.profile;
    if (place.profile.worst_excess <= same->worst_excess) continue;
    same->worst = place.profile.worst;
    same->worst_excess = place.profile.worst_excess;
  }
  const auto key = [](const SiteProfile& place) {
    return std::tie(place.site->file, place.site->line, place.site->column, place.kind);
  };
  std::sort(profile.sites.begin(), profile.sites.end(),
            [&](const SiteProfile& a, const SiteProfile& b) { return key(a) < key(b); });
}

}  // namespace td::simt
