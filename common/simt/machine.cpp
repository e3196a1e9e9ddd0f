// The loop that runs the threads of a block, and what happens when one waits, ends or fails.
#include "simt/machine.h"

#include <signal.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "simt/debug_info.h"
#include "simt/device_heap.h"
#include "simt/texts.h"
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
  limit_.stop();
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
  next_thread_ = exited_ = failed_ = at_barrier_ = 0;
  stuck_ = false;
  limit_.restart();
  if (observer_) observer_->begin_block(block_);
}

bool Machine::run_block(std::uint32_t number) {
  begin_block(number);
  const std::size_t count = threads_.size();
  while (!stuck_) {
    const bool can_begin = next_thread_ < count;
    if (next_ready_ < ready_.size() && !(can_begin && begins_others_)) {
      resume(*ready_[next_ready_++], fibers_.outside());
    } else if (can_begin) {
      fibers_.outside().switch_to(fibers_.acquire());
    } else if (exited_ == count) {
      break;
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
  } catch (const std::exception& error) {
    report_exception(thread, std::string(": ") + error.what());
  } catch (...) {
    report_exception(thread, " that is no std::exception");
  }
  finish(thread);
}

void Machine::report_exception(const Thread& thread, const std::string& what) {
  mark_failed(thread);
  report(Finding::Kind::kTrap, false, thread, 0,
         "thread " + text_of(thread.info.index) + " of block " + text_of(block_) +
             " throws an exception" + what + "\n  device code has no exceptions: nvcc refuses it");
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
  const std::uint32_t warp = thread.info.warp();
  thread.state = Thread::State::kRuns;  // no longer waits, also if it was about to
  ++exited_;
  limit_.restart();
  warps_[warp].exited |= 1u << thread.info.lane();
  if (warps_[warp].waiting) complete_waiting(warp);
}

void Machine::mark_failed(const Thread& thread) {
  ++failed_;
  warps_[thread.info.warp()].failed |= 1u << thread.info.lane();
}

void Machine::end_thread() {
  mark_failed(*current_);
  finish(*current_);
  fiber_->abandon();
  fibers_.release(*fiber_);
  fiber_->switch_to(fibers_.outside());
  __builtin_unreachable();
}

void Machine::fail_thread(Finding::Kind kind, std::uintptr_t pc, std::string text) {
  {
    const std::string own = std::move(text);  // freed here, because nothing is after end_thread()
    report(kind, false, *current_, pc, own);
  }
  end_thread();
}

void Machine::end_at_fault(Fault fault) {
  fault_ = fault;
  fault_.thread = current_;
  fault_.is_overflow = fiber_->overflows_at(fault.address);
  end_thread();
}

void Machine::on_tick(std::uintptr_t pc) {
  limit_.tick();
  // Elsewhere the thread may hold a lock; the machine then ends it at its next call, or the next
  // signal does. A hook has no line in the kernel.
  if (limit_.is_over() && library_->code.contains(pc) && !library_->hooks.contains(pc))
    end_at_fault({SIGVTALRM, pc});
}

void Machine::report_fault() {
  const Fault fault = fault_;
  fault_ = Fault();
  if (fault.signal == SIGVTALRM) return report_timeout(fault);
  const std::string who =
      "thread " + text_of(fault.thread->info.index) + " of block " + text_of(block_);
  // The instruction itself, where a call leaves the address after it.
  report(Finding::Kind::kTrap, false, *fault.thread, fault.pc + 1, who + text_of_trap(fault));
}

void Machine::report_timeout(const Fault& fault) {
  std::string seconds = std::to_string(limit_.seconds());
  seconds.resize(seconds.find('.') + 2);
  report(Finding::Kind::kTrap, false, *fault.thread, fault.pc + 1,
         "thread " + text_of(fault.thread->info.index) + " of block " + text_of(block_) +
             " is here after " + seconds +
             " s in which no thread of its block has ended: the launch timed out and was terminated "
             "(cudaErrorLaunchTimeout)\n  the loop has no end, or it waits for a value that no "
             "thread writes. A plain variable may be read only once: use volatile or an atomic "
             "function. A block must not wait for a later one: sim runs them one after another, "
             "and a GPU may do so, too. More time: TD_SIM_TIME_LIMIT=60");
  timed_out_ = true;
  abandon_block();
}

/// No thread of the block can continue.
void Machine::abandon_block() {
  for (Thread& thread : threads_) {
    if (!thread.fiber) continue;
    thread.state = Thread::State::kRuns;
    thread.fiber->abandon();
    fibers_.release(*thread.fiber);
    thread.fiber = nullptr;
  }
  ready_.clear();
  next_ready_ = 0;
  stuck_ = true;
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
  access.bytes = static_cast<std::uint32_t>(bytes);
  access.address = address;
  if (fibers_.contains(address))
    access.space = Space::kOtherStack;
  else if (!memory_.classify(access))
    return;
  if (access.space == Space::kGlobal && DeviceHeap::instance().contains(address))
    return check_heap(access, pc);
  const Place place = place_before(pc);
  access.site = place.site;
  access.calls = place.calls;
  if (observer_->is_ahead()) let_others_run();
  if (!observer_->access(current_->info, access)) end_thread();
}

/// Memory of malloc and new is only checked: the observers know the memory of the launch.
void Machine::check_heap(const Access& access, std::uintptr_t pc) {
  if (DeviceHeap::instance().is_allocated(access.address, access.bytes)) return;
  fail_thread(Finding::Kind::kOutOfBounds, pc,
              (access.kind == AccessKind::kRead ? "reads " : "writes ") +
                  count_of(access.bytes, "byte") +
                  " of the heap that malloc has not returned, or that are released\n  thread " +
                  text_of(current_->info.index) + " of block " + text_of(block_) +
                  "\n  the index has run past the end, or the pointer is used after free or "
                  "delete. Cure: compare the index with the number of elements");
}

void Machine::may_wait(std::uintptr_t pc) {
  // A loop that waits for another thread would never end if that thread did not run.
  constexpr int kMostInARow = 4096;
  if (++waits_ < kMostInARow) return;
  if (limit_.is_over()) end_at_fault({SIGVTALRM, pc - 1});
  let_others_run();
}

void Machine::let_others_run() {
  begins_others_ = true;
  make_ready(*current_);
  wait(*current_);
}

void Machine::fence() {
  if (observer_) observer_->fence(current_->info);
}

std::size_t Machine::report(Finding::Kind kind, bool is_note, const Thread& thread,
                            std::uintptr_t pc, const std::string& text) {
  if (is_note && !observer_) return findings_.size();
  const Site* const site = pc ? site_before(pc) : nullptr;
  for (Finding& known : findings_)
    if (known.kind == kind && known.site == site && known.is_note == is_note) {
      ++known.count;
      return static_cast<std::size_t>(&known - findings_.data());
    }
  Finding finding{kind, is_note, launch_->info.kernel, site, block_, thread.info.index, text};
  if (site && site->line) finding.text = text_of(*site) + ": " + text;
  findings_.push_back(std::move(finding));
  return findings_.size() - 1;
}

}  // namespace td::simt
