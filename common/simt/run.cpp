// The blocks of a grid: their order, and how OS threads share them.
#include "simt/run.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <random>

#include "simt/debug_info.h"
#include "simt/machine.h"
#include "td/base/parallel.h"

namespace td::simt {
namespace {

/// Returns which block comes n-th.
class BlockOrder {
 public:
  BlockOrder(std::uint32_t count, const RunOptions& options)
      : count_(count), reversed_(options.order == Order::kReversed) {
    if (options.order != Order::kRandom) return;
    shuffled_.resize(count);
    std::iota(shuffled_.begin(), shuffled_.end(), 0u);
    std::mt19937_64 random(options.seed);
    std::shuffle(shuffled_.begin(), shuffled_.end(), random);
  }
  std::uint32_t operator[](std::uint32_t n) const {
    return !shuffled_.empty() ? shuffled_[n] : reversed_ ? count_ - 1 - n : n;
  }

 private:
  const std::uint32_t count_;
  const bool reversed_;
  std::vector<std::uint32_t> shuffled_;
};

std::uint32_t blocks_of(const Launch& launch) {
  const dim3& grid = launch.info.grid;
  return grid.x * grid.y * grid.z;
}

std::vector<Finding> run_observed(const Launch& launch, Observer& observer,
                                  const RunOptions& options) {
  const std::uint32_t count = blocks_of(launch);
  const BlockOrder order(count, options);
  Machine& machine = Machine::of_this_thread();
  observer.begin_launch(launch.info);
  machine.begin(launch, &observer, options);
  const std::uint32_t edge = options.edge_blocks ? options.edge_blocks : count;
  for (std::uint32_t n = 0; n < count; ++n) {
    if (n == edge && count - n > edge) n = count - edge;
    if (!machine.run_block(order[n])) break;
  }
  machine.end();
  for (const Finding& finding : machine.findings()) observer.found(finding);
  observer.end_launch(launch.info);
  return std::move(machine.findings());
}

std::vector<Finding> run_plain(const Launch& launch, const RunOptions& options) {
  const std::uint32_t count = blocks_of(launch);
  const BlockOrder order(count, options);
  // A block of a usual kernel takes a microsecond or more.
  constexpr std::int64_t kGrain = 4;
  std::mutex mutex;
  std::vector<Finding> findings;
  std::atomic<bool> failed{false};
  parallel_for(0, count, kGrain, [&](std::int64_t begin, std::int64_t end) {
    Machine& machine = Machine::of_this_thread();
    machine.begin(launch, nullptr, options);
    for (std::int64_t n = begin; n < end && !failed.load(std::memory_order_relaxed); ++n)
      if (!machine.run_block(order[static_cast<std::uint32_t>(n)]) || !machine.findings().empty())
        failed = true;
    machine.end();
    std::lock_guard lock(mutex);
    for (Finding& finding : machine.findings()) findings.push_back(std::move(finding));
  });
  return findings;
}

/// Adds what the debug information contains: names, places and variables.
void describe(Launch& launch) {
  const auto& description = describe_kernel(reinterpret_cast<std::uintptr_t>(launch.kernel));
  launch.info.site = description.site;
  for (std::size_t i = 0; i < launch.positions.size(); ++i) {
    const std::size_t position = launch.positions[i];
    launch.info.arguments[i].name = position < description.parameters.size()
                                        ? description.parameters[position]
                                        : "argument " + std::to_string(position + 1);
  }
  MemoryMap::add_variables(launch.info, launch.kernel);
}

}  // namespace

std::vector<Finding> run(Launch& launch, Observer* observer, const RunOptions& options) {
  if (!observer) return run_plain(launch, options);
  describe(launch);
  return run_observed(launch, *observer, options);
}

}  // namespace td::simt
