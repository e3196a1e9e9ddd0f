// The switch between plain and observed launches.
#include "simt/observe.h"

#include <atomic>
#include <mutex>
#include <optional>

#include "simt/library.h"
#include "simt/observation.h"
#include "td/base/error.h"
#include "td/device/stream.h"

namespace td::simt {
namespace {

struct Observation {
  explicit Observation(const ObserveOptions& o)
      : options{o.order, o.seed}, gpu(o.gpu ? *o.gpu : simt::gpu("H100")), observers(gpu) {}
  const RunOptions options;
  const GpuLimits& gpu;
  std::mutex mutex;  // guards observers: streams run concurrently, launches are observed in turn
  Observers observers;
};

std::atomic<Observation*> current{nullptr};

/// Why the GPU rejects the launch, as one text; nothing when it accepts it.
std::optional<std::string> refusal(const GpuLimits& gpu, const LaunchInfo& info,
                                   const void* kernel) {
  // A program on a GPU requests more than 48 KiB with one call; launch() makes that call for it.
  auto error = check_launch(gpu, info.grid, info.block, 0, info.dynamic_shared, true);
  if (!error) error = check_launch_bounds(library_of(kernel).launch_bounds(kernel), info.block);
  if (!error) return std::nullopt;
  return info.kernel + ": the launch is refused with " + error->name + ": " + error->text;
}

void synchronize_sim() {
  for (int i = 0; i < device_count(kSIM); ++i) synchronize(Device(kSIM, i));
}

void run_refused(Launch& launch, Observer& observer, std::string text) {
  Finding finding{
      Finding::Kind::kLaunchConfig, false, launch.info.kernel, nullptr, {}, {}, std::move(text)};
  observer.begin_launch(launch.info);
  observer.found(std::move(finding));
  observer.end_launch(launch.info);
}

}  // namespace

void run_or_observe(Launch& launch) {
  if (Observation* observation = current.load(std::memory_order_acquire)) {
    std::lock_guard lock(observation->mutex);
    if (auto text = refusal(observation->gpu, launch.info, launch.kernel))
      return run_refused(launch, observation->observers, std::move(*text));
    run(launch, &observation->observers, observation->options);
    return;
  }
  for (const Finding& finding : run(launch, nullptr, {})) throw Error(finding.text);
}

void check_config(const std::string& kernel, const void* address, dim3 grid, dim3 block,
                  std::size_t shared) {
  constexpr std::uint64_t kMostBlocks = 0x7fffffff;  // which take sim an hour
  const std::uint64_t rows = std::uint64_t{grid.y} * grid.z;
  TD_CHECK(Error, rows == 0 || grid.x <= kMostBlocks / rows, kernel, ": a grid of ", grid.x, " x ",
           grid.y, " x ", grid.z, " has more than ", kMostBlocks,
           " blocks. A GPU runs them, but not sim; let each thread work on several elements");
  if (current.load(std::memory_order_acquire)) return;
  LaunchInfo info;
  info.kernel = kernel;
  info.grid = grid;
  info.block = block;
  info.dynamic_shared = shared;
  if (const auto text = refusal(gpu("H100"), info, address)) throw Error(*text);
}

std::vector<KernelReport> observe(const ObserveOptions& options,
                                  const std::function<void()>& work) {
  synchronize_sim();
  Observation observation(options);
  Observation* none = nullptr;
  TD_CHECK(Error, current.compare_exchange_strong(none, &observation),
           "observe: the work that is observed calls observe(), or another thread does; one "
           "observation at a time");
  struct Ends {
    ~Ends() { current = nullptr; }
  };
  {
    const Ends ends;
    try {
      work();
    } catch (...) {
      try {
        synchronize_sim();  // launches that are still queued use the observation
      } catch (const AsyncError&) {
        // The work's own error comes first.
      }
      throw;
    }
    synchronize_sim();
  }
  return observation.observers.take();
}

}  // namespace td::simt
