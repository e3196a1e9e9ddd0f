// The loop that runs the threads of a block, and what happens when one waits or ends.
#include "simt/machine.h"

#include <signal.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include "simt/debug_info.h"
#include "simt/device_heap.h"
#include "simt/thread_variables.h"
#include "simt/traps.h"

namespace td::simt {
namespace {

std::mt19937_64 random_for(std::uint64_t seed, std::uint64_t number) {
  return std::mt19937_64(seed * 0x9e3779b97f4a7c15 + number);
}

}  // namespace

constinit thread_local Machine* Machine::in_launch_ = nullptr;

Machine::Machine() : fibers_(work, this) {}

Machine& Machine::of_this_thread() {
  thread_local Machine machine;
  return machine;
}

void Machine::begin(const Launch& launch, Observer* observer, const RunOptions& options) {
  launch_ = &launch;
  observer_ = observer;
  options_ = options;
  findings_.clear();
  undefined_values_.clear();
  timed_out_ = false;
  library_ = &library_of(launch.kernel);
  const dim3 block = launch.info.block;
  const std::uint32_t count = block.x * block.y * block.z;
  suspended_ = 0;
  threads_.assign(count, Thread());
  for (std::uint32_t i = 0; i < count; ++i)
    threads_[i].info = {{i % block.x, i / block.x % block.y, i / block.x / block.y}, i};
  warps_.assign((count + 31) / 32, Warp());
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), 0u);
  if (options.order == Order::kReversed) std::reverse(order_.begin(), order_.end());
  gridDim = launch.info.grid;
  blockDim = block;
  if (observer) memory_.use(launch.info, launch.kernel);
  is_observed = observer != nullptr;
  install_traps();
  in_launch_ = this;
  limit_.start(options.seconds < 0 ? TimeLimit::usual_seconds() : options.seconds);
}

void Machine::end() {
  in_launch_ = nullptr;
  is_observed = false;
}

void Machine::begin_block(std::uint32_t number) {
  const dim3 grid = launch_->info.grid;
  block_ = {number % grid.x, number / grid.x % grid.y, number / grid.x / grid.y};
  blockIdx = block_;
  const auto count = static_cast<std::uint32_t>(threads_.size());
  for (Warp& warp : warps_) warp = Warp();
  if (count % 32 != 0) warps_.back().exited = ~0u << count % 32;
  if (options_.order == Order::kRandom) {
    auto random = random_for(options_.seed, number);
    std::shuffle(order_.begin(), order_.end(), random);
  }
  next_thread_ = exited_ = failed_ = at_barrier_ = active_ = at_grid_barrier_ = 0;
  copies_.clear();
  stuck_ = false;
  steps_ = 0;
  limit_.restart();
  if (observer_) observer_->begin_block(block_);
}

bool Machine::run_block(std::uint32_t number) {
  begin_block(number);
  return run_threads();
}

/// Whether threads of the block have been in loops for a while, with barriers or without, and none
/// has ended. They may wait for another block, which a GPU runs at the same time. Counts of an
/// observed launch depend on the order, so it is changed only after a second, and only from the
/// usual one: in the others, observers report that a block waits for a later one.
bool Machine::stalls() const {
  constexpr std::size_t kMostSuspended = 32768;  // threads, each with pages of its stack
  const bool is_first = suspended_ == 0;
  const std::size_t most_rounds = is_first ? 1024 : 16;
  if (yields_ <= threads_.size() && rounds_ <= most_rounds) return false;
  if (is_cooperative() || suspended_ + threads_.size() > kMostSuspended) return false;
  if (!observer_) return true;
  return options_.order == Order::kForward && (!is_first || limit_.has_lasted(1));
}

/// Until all have returned, or wait for other blocks.
bool Machine::run_threads() {
  const std::size_t count = threads_.size();
  is_stalled_ = false;
  yields_ = rounds_ = 0;
  while (!stuck_) {
    if ((is_stalled_ = stalls())) break;
    const bool can_begin = next_thread_ < count;
    if (next_ready_ < ready_.size() && !(can_begin && begins_others_)) {
      resume(*ready_[next_ready_++], fibers_.outside());
    } else if (can_begin) {
      fibers_.outside().switch_to(fibers_.acquire());
    } else if (exited_ + at_grid_barrier_ == count) {
      break;
    } else if (active_ > 0) {
      group_active();
    } else if (at_barrier_ + exited_ == count) {
      release_barrier();
    } else {
      report_deadlock();
    }
    current_ = nullptr;
    if (fault_.thread) report_fault();
    if (next_ready_ == ready_.size()) {
      ready_.clear();
      next_ready_ = 0;
    }
  }
  if (observer_) observer_->end_block();
  return !stuck_;
}

/// Runs on each fiber: executes threads that have not begun, until a waiting one is ready.
void Machine::work(void* machine, Fiber& self) {
  Machine& m = *static_cast<Machine*>(machine);
  for (;;) {
    m.begins_others_ = false;
    do m.run_thread(m.threads_[m.order_[m.next_thread_++]], self);
    while (m.next_ready_ == m.ready_.size() && m.next_thread_ < m.threads_.size());
    m.fibers_.release(self);
    self.switch_to(m.fibers_.outside());
  }
}

void Machine::run_thread(Thread& thread, Fiber& self) {
  enter(thread, self);
  try {
    launch_->call(launch_->arguments);
    check_unawaited_copies();
  } catch (const std::exception& error) {
    report_exception(thread, std::string(": ") + error.what());
  } catch (...) {
    report_exception(thread, " that is no std::exception");
  }
  finish(thread);
}

void Machine::enter(Thread& thread, Fiber& fiber) {
  current_ = &thread;
  fiber_ = &fiber;
  waits_ = 0;
  threadIdx = thread.info.index;
}

/// Continues a thread that waits, from the fiber that runs now.
void Machine::resume(Thread& thread, Fiber& here) {
  Fiber& fiber = *std::exchange(thread.fiber, nullptr);
  thread.state = Thread::State::kRuns;
  enter(thread, fiber);
  here.switch_to(fiber);
}

/// Stops the current thread. The next one continues directly, which saves a switch to the outside;
/// it may be the same thread.
void Machine::wait(Thread& thread) {
  Fiber& here = *fiber_;
  thread.fiber = &here;
  const bool has_ready = next_ready_ < ready_.size() && !begins_others_;
  if (has_ready && ready_[next_ready_] == &thread) {
    ++next_ready_;
    thread.fiber = nullptr;
    thread.state = Thread::State::kRuns;
  } else if (has_ready) {
    resume(*ready_[next_ready_++], here);
  } else {
    here.switch_to(next_thread_ < threads_.size() ? fibers_.acquire() : fibers_.outside());
  }
}

void Machine::finish(Thread& thread) {
  if (!copies_.empty()) copies_[thread.info.linear].pending.clear();
  const std::uint32_t warp = thread.info.warp();
  thread.state = Thread::State::kRuns;  // no longer waits, also if it was about to
  ++exited_;
  yields_ = rounds_ = 0;
  limit_.restart();
  warps_[warp].exited |= 1u << thread.info.lane();
  if (warps_[warp].waiting) complete_waiting(warp);
}

void Machine::access(AccessKind kind, std::uintptr_t address, std::size_t bytes, AccessForm form,
                     std::uintptr_t pc) {
  if (fiber_->contains(address)) return;
  if (limit_.is_over()) end_at_fault({SIGVTALRM, pc - 1});
  Access access;
  access.kind = kind;
  access.is_volatile = form == AccessForm::kVolatile;
  access.is_copy = form == AccessForm::kCopy;
  access.is_compare = form == AccessForm::kCompare;
  access.is_store = form == AccessForm::kStore;
  access.is_start = form == AccessForm::kStart;
  access.bytes = static_cast<std::uint32_t>(bytes);
  access.address = address;
  if (fibers_.contains(address))
    access.space = Space::kOtherStack;
  else if (!memory_.classify(access))
    return;
  if (access.space == Space::kShared && kind == AccessKind::kRead && !copies_.empty())
    ++copies_[current_->info.linear].shared_reads;
  if (access.space == Space::kGlobal && DeviceHeap::contains(address))
    return check_heap(access, pc);
  const Place place = place_before(pc);
  access.site = place.site;
  access.calls = place.calls;
  if (observer_->is_ahead()) {
    const int waits = waits_;
    let_others_run();
    waits_ = waits;  // this was no waiting in a loop
  }
  if (!observer_->access(current_->info, access)) end_thread();
}

void Machine::may_wait(std::uintptr_t pc) {
  // A loop that waits for another thread would never end if that thread did not run.
  constexpr int kMostInARow = 4096, kMostBesideOthers = 64;
  may_have_waited_ = true;
  if (++waits_ < (suspended_ > 0 ? kMostBesideOthers : kMostInARow)) return;
  if (limit_.is_over()) end_at_fault({SIGVTALRM, pc - 1});
  if (active_ > 0) group_active();  // it may wait for one of them
  ++yields_;
  let_others_run();
}

void Machine::wait_for_others(std::uintptr_t pc) {
  waits_ = std::numeric_limits<int>::max() - 1;
  may_wait(pc);
}

void Machine::let_others_run() {
  begins_others_ = true;
  make_ready(*current_);
  wait(*current_);
}

AddressSpace Machine::address_space(std::uintptr_t address) const {
  if (fibers_.contains(address)) return AddressSpace::kLocal;
  if (library_->thread_local_variables.contains(address)) return AddressSpace::kShared;
  return library_->is_constant(address) ? AddressSpace::kConstant : AddressSpace::kGlobal;
}

void Machine::fence() {
  if (observer_) observer_->fence(current_->info);
}

}  // namespace td::simt
