// Passes each event to the observers, and makes the report at the end of a launch. Invariant: an
// access is counted and checked for races only when it passes the memory check.
#include "simt/observe/observers.h"

#include <algorithm>
#include <utility>

#include "simt/observe/initialization.h"
#include "simt/observe/memory_check.h"
#include "simt/observe/path_counter.h"
#include "simt/observe/race_finder.h"
#include "simt/observe/request_counter.h"

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
  RequestCounter requests{sites, memory};
  PathCounter paths;
  int barriers = 0;       // of the running block
  int most_barriers = 0;  // of all blocks so far
  std::size_t matrix_products = 0;
  std::size_t async_bytes = 0, overlapped_async_bytes = 0;
  double tensor_flops = 0;
  std::vector<KernelReport> reports;
};

namespace {

/// Fills in what follows from the launch and from the other values.
void describe(const LaunchInfo& launch, const Regions& regions, const GpuLimits& gpu,
              Profile& profile) {
  profile.kernel = launch.kernel;
  profile.grid = launch.grid;
  profile.block = launch.block;
  const std::size_t threads = std::size_t{launch.block.x} * launch.block.y * launch.block.z;
  const std::size_t blocks = std::size_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  profile.threads = threads * blocks;
  profile.warps = (threads + 31) / 32 * blocks;
  profile.dynamic_shared = launch.dynamic_shared;
  for (const Region& region : regions.all())
    if (region.shared && region.touched && !region.shared->is_dynamic)
      profile.static_shared += region.bytes;
  profile.flops = launch.flops;
  profile.gpu = gpu;
  profile.occupancy =
      occupancy(gpu, static_cast<int>(threads), profile.static_shared + profile.dynamic_shared);
  profile.bound = time_bound(gpu, kSectorBytes * static_cast<double>(profile.distinct_sectors),
                             profile.flops, profile.tensor_flops);
}

/// Static shared memory is known only now; the machine has checked the rest of the launch.
void check_shared_memory(const LaunchInfo& launch, const Profile& profile, Findings& findings) {
  const auto error = check_launch(profile.gpu, launch.grid, launch.block, profile.static_shared,
                                  profile.dynamic_shared, true);
  if (!error || findings.has(Finding::Kind::kLaunchConfig)) return;
  findings.add(Finding{
      .kind = Finding::Kind::kLaunchConfig,
      .kernel = launch.kernel,
      .site = launch.site,
      .block = {},
      .thread = {},
      .text = launch.kernel + ": the launch is refused with " + error->name + ": " + error->text});
}

}  // namespace

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
  s.requests.begin_launch(launch, s.regions);
  s.paths.begin_launch(launch);
  s.most_barriers = 0;
  s.matrix_products = 0;
  s.async_bytes = s.overlapped_async_bytes = 0;
  s.tensor_flops = 0;
}

void Observers::end_launch(const LaunchInfo& launch) {
  State& s = *state_;
  s.races.end_launch();
  KernelReport report{launch.kernel, {}, {}};
  Profile& profile = report.profile;
  s.requests.end_launch(profile);
  profile.never_written = s.initialization.never_written(s.regions);
  profile.branch_efficiency = s.paths.efficiency();
  profile.barriers = s.most_barriers;
  profile.matrix_products = s.matrix_products;
  profile.async_bytes = s.async_bytes;
  profile.overlapped_async_bytes = s.overlapped_async_bytes;
  profile.tensor_flops = s.tensor_flops;
  describe(launch, s.regions, s.gpu, profile);
  check_shared_memory(launch, profile, s.findings);
  report.findings = s.findings.take();
  s.reports.push_back(std::move(report));
}

void Observers::begin_block(uint3 block) {
  State& s = *state_;
  s.barriers = 0;
  s.findings.begin_block(block);
  s.initialization.begin_block();
  s.races.begin_block(block);
  s.requests.begin_block(block);
}

void Observers::end_block() {
  State& s = *state_;
  s.races.end_block();
  s.requests.flush();
  s.paths.flush();
  s.most_barriers = std::max(s.most_barriers, s.barriers);
}

void Observers::grid_barrier() { state_->races.grid_barrier(); }

void Observers::resume_block(uint3 block) {
  begin_block(block);
  state_->initialization.resume_block();
}

bool Observers::access(const ThreadInfo& thread, const Access& access) {
  State& s = *state_;
  const std::uint16_t number = s.sites.number(access);
  AccessSite& site = s.sites[number];
  Region* region = s.memory.check(thread, access, site.usual);
  if (!region) {
    s.initialization.thread_ended();
    return false;
  }
  site.usual = region;
  region->touched = true;
  if (!access.is_start) s.initialization.access(thread, access, *region);
  s.races.access(thread, access, *region, number);
  if (access.is_start) return true;  // the copy counts when it happens
  is_ahead_ = s.requests.access(thread, access, *region, number);
  return true;
}

void Observers::barrier(const Site* site) {
  State& s = *state_;
  ++s.barriers;
  s.races.barrier(site);
  s.requests.flush();
  s.paths.flush();
}

void Observers::warp_barrier(std::uint32_t warp, std::uint32_t mask) {
  state_->races.warp_barrier(warp, mask);
}

void Observers::fence(const ThreadInfo& thread) { state_->races.fence(thread); }

void Observers::async_copy(std::size_t bytes, bool is_overlapped) {
  state_->async_bytes += bytes;
  if (is_overlapped) state_->overlapped_async_bytes += bytes;
}

void Observers::basic_block(const ThreadInfo& thread, std::uintptr_t block) {
  state_->paths.basic_block(thread, block);
}

void Observers::matrix_product(std::uint32_t, int m, int n, int k, const Site*) {
  ++state_->matrix_products;
  state_->tensor_flops += 2.0 * m * n * k;
}

void Observers::found(Finding finding) { state_->findings.add(std::move(finding)); }

}  // namespace td::simt
