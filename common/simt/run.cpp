// The blocks of a grid: their order, and how OS threads share them.
#include "simt/run.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <iterator>
#include <mutex>
#include <numeric>
#include <random>
#include <utility>

#include "simt/debug_info.h"
#include "simt/launch_memory.h"
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

/// Runs the blocks of a cooperative launch from one barrier of the grid to the next.
void run_together(const Launch& launch, Observer* observer, const RunOptions& options) {
  const std::uint32_t count = blocks_of(launch);
  const BlockOrder order(count, options);
  Machine& machine = Machine::of_this_thread();
  machine.begin(launch, observer, options);
  std::vector<SuspendedBlock> waiting, next;
  bool goes_on = true;
  for (std::uint32_t n = 0; n < count && goes_on; ++n) {
    goes_on = machine.run_block(order[n]);
    if (machine.is_suspended()) waiting.push_back(machine.suspend());
  }
  while (goes_on && waiting.size() == count) {
    if (observer) observer->grid_barrier();
    for (SuspendedBlock& block : waiting) {
      if (!goes_on) {
        next.push_back(std::move(block));
        continue;
      }
      goes_on = machine.resume_block(std::move(block));
      if (machine.is_suspended()) next.push_back(machine.suspend());
    }
    waiting = std::exchange(next, {});
  }
  if (!waiting.empty()) machine.abandon_suspended(std::move(waiting), count);
  machine.end();
}

/// Runs blocks of a launch that is not cooperative: one after another, but one that waits in a loop
/// for others is suspended, and goes on after them. A GPU would run several at the same time.
/// @param number which block comes n-th.
/// @param goes_on whether the launch does; gets what the last block said.
template <class Number, class GoesOn>
void run_blocks(Machine& machine, std::uint32_t count, Number number, GoesOn goes_on) {
  std::deque<SuspendedBlock> waiting;
  const auto keep = [&](bool block_goes_on) {
    if (machine.is_suspended()) waiting.push_back(machine.suspend());
    return goes_on(block_goes_on);
  };
  bool going = true;
  for (std::uint32_t n = 0; n < count && going; ++n) going = keep(machine.run_block(number(n)));
  while (going && !waiting.empty()) {
    SuspendedBlock block = std::move(waiting.front());
    waiting.pop_front();
    going = keep(machine.resume_block(std::move(block)));
  }
  if (!waiting.empty())
    machine.abandon_suspended(
        {std::make_move_iterator(waiting.begin()), std::make_move_iterator(waiting.end())}, count);
}

/// Runs the blocks one after another on the calling OS thread.
void run_in_turn(const Launch& launch, Observer* observer, const RunOptions& options) {
  if (launch.info.is_cooperative) return run_together(launch, observer, options);
  const std::uint32_t count = blocks_of(launch);
  const BlockOrder order(count, options);
  Machine& machine = Machine::of_this_thread();
  machine.begin(launch, observer, options);
  const bool has_gap = options.edge_blocks && count > 2 * options.edge_blocks;
  const std::uint32_t edge = has_gap ? options.edge_blocks : count;
  run_blocks(
      machine, has_gap ? 2 * edge : count,
      [&](std::uint32_t n) { return order[n < edge ? n : count - 2 * edge + n]; },
      [](bool goes_on) { return goes_on; });
  machine.end();
}

/// Whether the launch ends with the same memory whatever a shuffle returns for absent lanes.
/// Leaves the memory as it is.
bool ignores_undefined_values(const Launch& launch, const RunOptions& options,
                              const LaunchMemory& before) {
  const LaunchMemory after(launch.info);
  bool is_same = true;
  // Finite numbers, the largest and the least in each type: a maximum ignores a NaN.
  for (const std::uint64_t value : {0x7fe000007f000000u, 0xffe00000ff000000u}) {
    before.restore();
    RunOptions with_value = options;
    with_value.undefined = value;
    run_in_turn(launch, nullptr, with_value);
    is_same = is_same && after.is_unchanged();
  }
  after.restore();
  return is_same;
}

/// Findings about undefined values that the kernel does not use become notes.
void judge_undefined_values(const Launch& launch, const RunOptions& options,
                            const LaunchMemory& before, std::vector<Finding>& findings) {
  const Machine& machine = Machine::of_this_thread();
  const std::vector<std::size_t> numbers = machine.undefined_values();
  if (numbers.empty() || !before.is_complete() || machine.timed_out()) return;
  if (!ignores_undefined_values(launch, options, before)) return;
  for (const std::size_t number : numbers) {
    findings[number].is_note = true;
    findings[number].text +=
        "\n  harmless in this launch: its results are the same with other "
        "values";
  }
}

Finding note_of_order(const Finding& timeout) {
  Finding note = timeout;
  note.is_note = true;
  note.text = note.text.substr(0, note.text.find(": thread ")) +
              ": a block waits here for one that begins later in this order of blocks, so the "
              "launch was run again in forward order\n  CUDA guarantees no order: let each block "
              "take its number from an atomic counter";
  return note;
}

std::vector<Finding> run_observed(const Launch& launch, Observer& observer, RunOptions options) {
  constexpr double kSecondsInOtherOrder = 1;
  const double usual = options.seconds;
  const LaunchMemory before(launch.info);
  Machine& machine = Machine::of_this_thread();
  std::vector<Finding> notes;
  if (options.order != Order::kForward && before.is_complete() && usual < 0 &&
      blocks_of(launch) > 1)
    options.seconds = kSecondsInOtherOrder;
  observer.begin_launch(launch.info);
  run_in_turn(launch, &observer, options);
  if (machine.timed_out() && options.seconds != usual) {
    notes.push_back(note_of_order(machine.findings().back()));
    before.restore();
    options.order = Order::kForward;
    options.seconds = usual;
    observer.begin_launch(launch.info);
    run_in_turn(launch, &observer, options);
  }
  std::vector<Finding> findings = std::move(machine.findings());
  judge_undefined_values(launch, options, before, findings);
  findings.insert(findings.end(), notes.begin(), notes.end());
  for (const Finding& finding : findings) observer.found(finding);
  observer.end_launch(launch.info);
  return findings;
}

std::vector<Finding> run_plain(const Launch& launch, const RunOptions& options) {
  if (launch.info.is_cooperative) {
    run_together(launch, nullptr, options);
    return std::move(Machine::of_this_thread().findings());
  }
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
    run_blocks(
        machine, static_cast<std::uint32_t>(end - begin),
        [&](std::uint32_t n) { return order[static_cast<std::uint32_t>(begin) + n]; },
        [&](bool goes_on) {
          if (!goes_on || !machine.findings().empty()) failed = true;
          return !failed.load(std::memory_order_relaxed);
        });
    machine.end();
    std::lock_guard lock(mutex);
    for (Finding& finding : machine.findings()) findings.push_back(std::move(finding));
  });
  return findings;
}

/// The finding about a cooperative launch that has too many threads, else none.
std::vector<Finding> refuse_grid(const Launch& launch, Observer* observer) {
  const dim3& block = launch.info.block;
  const std::size_t threads = std::size_t{blocks_of(launch)} * block.x * block.y * block.z;
  if (!launch.info.is_cooperative || threads <= FiberPool::kMostOfGrid) return {};
  Finding finding;
  finding.kind = Finding::Kind::kLaunchConfig;
  finding.kernel = launch.info.kernel;
  finding.text =
      launch.info.kernel + ": the launch is refused with cudaErrorCooperativeLaunchTooLarge: all " +
      std::to_string(threads) + " threads would have to run at the same time, and sim has " +
      std::to_string(FiberPool::kMostOfGrid) +
      "\n  launch fewer blocks, and let each thread work on several elements";
  if (observer) {
    observer->begin_launch(launch.info);
    observer->found(finding);
    observer->end_launch(launch.info);
  }
  return {finding};
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
  if (observer) describe(launch);
  if (auto refused = refuse_grid(launch, observer); !refused.empty()) return refused;
  if (!observer) return run_plain(launch, options);
  return run_observed(launch, *observer, options);
}

}  // namespace td::simt
