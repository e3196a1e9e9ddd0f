// The fan-out: who is told what, and the report at the end of a launch. Invariant: an access is
// counted and judged for races only when the memory check lets it through.
#include "simt/observe/observers.h"

#include <algorithm>
#include <utility>

#include "simt/observe/initialization.h"
#include "simt/observe/memory_check.h"
#include "simt/observe/race_finder.h"

namespace td::simt {

struct Observers::State {
  explicit State(const GpuLimits& limits) : gpu(limits) {}

  GpuLimits gpu;
  Regions regions;
  Sites sites;
  Findings findings;
  MemoryCheck memory{regions, findings};
  Initialization initialization{findings};
  RaceFinder races{sites, findings};
  std::vector<KernelReport> reports;
};

const Finding* KernelReport::first_fault() const {
  const auto at = std::find_if(findings.begin(), findings.end(),
                               [](const Finding& finding) { return !finding.is_note; });
  return at == findings.end() ? nullptr : &*at;
}

Observers::Observers(const GpuLimits& gpu) : state_(std::make_unique<State>(gpu)) {}
Observers::~Observers() = default;

std::vector<KernelReport> Observers::take() { return std::exchange(state_->reports, {}); }

void Observers::begin_launch(const LaunchInfo& launch) {
  State& s = *state_;
  s.regions.begin_launch(launch);
  s.sites.begin_launch();
  s.findings.begin_launch(launch);
  s.initialization.begin_launch(s.regions);
  s.races.begin_launch(launch, s.regions);
}

void Observers::end_launch(const LaunchInfo& launch) {
  State& s = *state_;
  s.races.end_launch();
  KernelReport report{launch.kernel, s.findings.take(), {}};
  report.profile.never_written = s.initialization.never_written(s.regions);
  s.reports.push_back(std::move(report));
}

void Observers::begin_block(uint3 block) {
  state_->findings.begin_block(block);
  state_->initialization.begin_block();
  state_->races.begin_block(block);
}

void Observers::end_block() { state_->races.end_block(); }

bool Observers::access(const ThreadInfo& thread, const Access& access) {
  State& s = *state_;
  const std::uint16_t number = s.sites.number(access);
  AccessSite& site = s.sites[number];
  Region* region = s.memory.check(thread, access, site.usual);
  if (!region) return false;
  site.usual = region;
  region->touched = true;
  s.initialization.access(thread, access, *region);
  s.races.access(thread, access, *region, number);
  return true;
}

void Observers::barrier(const Site* site) { state_->races.barrier(site); }
void Observers::warp_barrier(std::uint32_t warp, std::uint32_t mask) {
  state_->races.warp_barrier(warp, mask);
}
void Observers::fence(const ThreadInfo& thread) { state_->races.fence(thread); }
void Observers::basic_block(const ThreadInfo&, std::uintptr_t) {}
void Observers::matrix_product(std::uint32_t, int, int, int, const Site*) {}
void Observers::found(Finding finding) { state_->findings.add(std::move(finding)); }

}  // namespace td::simt
