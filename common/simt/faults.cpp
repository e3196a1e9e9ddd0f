// What happens when a thread of the machine fails, or the time of its block is over.
#include <signal.h>

#include "simt/debug_info.h"
#include "simt/device_heap.h"
#include "simt/machine.h"
#include "simt/texts.h"
#include "simt/traps.h"

namespace td::simt {

void Machine::report_exception(const Thread& thread, const std::string& what) {
  mark_failed(thread);
  report(Finding::Kind::kTrap, false, thread, 0,
         "thread " + text_of(thread.info.index) + " of block " + text_of(block_) +
             " throws an exception" + what + "\n  device code has no exceptions: nvcc refuses it");
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
#if !defined(TD_THREAD_SANITIZER)  // which delivers the signal later, in a function of its own
  if (limit_.is_over() && library_->code.contains(pc) && !library_->hooks.contains(pc))
    end_at_fault({SIGVTALRM, pc});
#else
  static_cast<void>(pc);
#endif
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
  report(
      Finding::Kind::kTrap, false, *fault.thread, fault.pc + 1,
      "thread " + text_of(fault.thread->info.index) + " of block " + text_of(block_) +
          " is here after " + seconds +
          " s in which no thread of its block has ended: the launch timed out and was terminated "
          "(cudaErrorLaunchTimeout)\n  the loop has no end, or it waits for a value that no "
          "thread writes. A plain variable may be read only once: use volatile or an atomic "
          "function. A block that waits for another one needs a grid of which all blocks run at "
          "the same time. More time: TD_SIM_TIME_LIMIT=60");
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
  at_grid_barrier_ = 0;
  stuck_ = true;
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
