// Gathers the accesses of lanes into requests of warps and counts what they cost, per place in the
// source. Called by Observers for each access that passes the memory check.
//
// The n-th execution of a place by one lane belongs to the n-th execution by the other lanes of the
// warp, counted since the last __syncthreads. That is what a GPU executes together, except for
// loops whose iterations some lanes skip.
//
// Invariant: a request is counted once, when all lanes of its warp have arrived or at the barrier.
// Of a warp and place, kMostOpen requests or little more are open: where lanes come so late that
// these do not suffice, the oldest are counted without them.
#pragma once

#include <vector>

#include "simt/observe/memory_check.h"
#include "simt/observe/sites.h"
#include "simt/observe/warp_request.h"

namespace td::simt {

class RequestCounter {
 public:
  RequestCounter(const Sites& sites, MemoryCheck& memory) : sites_(sites), memory_(memory) {}

  void begin_launch(const LaunchInfo& launch, const Regions& regions);
  void begin_block(uint3 block) { block_ = block; }
  /// Counts the open requests; called at each __syncthreads and at the end of a block.
  void flush();
  /// @return whether the other lanes of the warp should run first.
  bool access(const ThreadInfo& thread, const Access& access, Region& region, std::uint16_t site);
  /// Fills in the places and the distinct sectors. Called at the end of the launch.
  void end_launch(Profile& profile) const;

 private:
  static constexpr std::uint32_t kCounted = ~0u;  // instead of the index of a request
  static constexpr std::size_t kMostOpen = 1024;

  struct Request {
    WarpRequest lanes;
    Region* region = nullptr;        // of the first lane that came
    std::uint32_t elsewhere = 0;     // lanes in another region
    std::array<Region*, 32> others;  // the regions of these
    int missing = 0;                 // lanes of the warp that have not arrived
  };
  /// The requests of a warp at a place.
  struct Opened {
    std::uint32_t first = 0;             // those before it are counted
    std::vector<std::uint32_t> indices;  // of the others
    std::uint32_t asked = 0;             // how often other lanes should have run first
  };
  /// What belongs to one place; grows with its first accesses and is kept between blocks.
  struct Place {
    SiteProfile profile;
    std::vector<std::uint32_t> executions;  // per thread
    std::vector<Opened> opened;             // per warp
    bool is_open = false;                   // since the last flush
  };

  void add(const ThreadInfo& thread, const Access& access, Region& region, Place& place);
  Place& place(std::uint16_t site, const Region& region);
  void fill(Request& request, const ThreadInfo& thread, const Access& access, Region& region);
  void limit(Place& place, Opened& opened);
  void close(Place& place, std::uint32_t index);
  std::uint32_t open(const ThreadInfo& thread, const Access& access, Region& region);
  void count(Place& place, const Request& request);
  void touch(const Region& region, AccessKind kind, const std::vector<std::uintptr_t>& sectors);
  void judge_variables(const Place& place, const Request& request);
  ThreadInfo thread_of(std::uint32_t warp, int lane) const;

  const Sites& sites_;
  MemoryCheck& memory_;
  dim3 shape_;  // of a block
  std::uint32_t threads_ = 0;
  uint3 block_{};
  bool is_ahead_ = false;
  std::vector<Place> places_;  // by number of the site
  std::vector<Request> requests_;
  std::vector<std::uint32_t> free_;  // indices of requests_

  const Region* first_region_ = nullptr;
  struct Touched {
    std::vector<bool> read, written;  // a bit per sector; an atomic function counts as a write
  };
  std::vector<Touched> touched_;  // per region
  std::size_t distinct_sectors_ = 0;
  std::vector<std::uintptr_t> sectors_;  // of the request that is counted
};

}  // namespace td::simt
