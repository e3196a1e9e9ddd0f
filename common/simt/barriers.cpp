// The barriers of a block. The rules are those of the CUDA C++ Programming Guide, "Synchronization
// Functions": every thread of the block that has not returned must arrive, all of them at the same
// barrier. A GPU counts arrivals and does not compare places. The machine therefore releases
// threads that wait at different barriers, and reports them.
#include <algorithm>
#include <map>
#include <utility>

#include "simt/debug_info.h"
#include "simt/machine.h"
#include "simt/texts.h"

namespace td::simt {

int Machine::block_barrier(BlockBarrier barrier, int predicate, std::uintptr_t pc) {
  Thread& thread = *current_;
  thread.state = Thread::State::kAtBarrier;
  thread.barrier = barrier;
  thread.value = predicate != 0;
  thread.pc = pc;
  if (at_barrier_ == 0) barrier_pc_ = pc;
  if (pc != barrier_pc_) barriers_differ_ = true;
  ++at_barrier_;
  wait(thread);
  return static_cast<int>(thread.result);
}

/// Lets all threads that wait at a barrier continue, in the order in which threads begin.
void Machine::release_barrier() {
  if (barriers_differ_ || (observer_ && exited_ > failed_)) check_barrier();
  barriers_differ_ = false;
  steps_ = 0;
  if (std::exchange(may_have_waited_, false)) ++rounds_;
  std::uint64_t trues = 0;
  for (const Thread& thread : threads_)
    if (thread.state == Thread::State::kAtBarrier) trues += thread.value;
  for (const std::uint32_t i : order_) {
    Thread& thread = threads_[i];
    if (thread.state != Thread::State::kAtBarrier) continue;
    thread.result = thread.barrier == BlockBarrier::kAnd  ? trues == at_barrier_
                    : thread.barrier == BlockBarrier::kOr ? trues != 0
                                                          : trues;
    make_ready(thread);
  }
  at_barrier_ = 0;
  if (observer_) observer_->barrier(site_before(barrier_pc_));
}

/// Reports a barrier that not all threads reach.
void Machine::check_barrier() {
  std::map<const Site*, std::size_t> waiting;
  const Thread* first = nullptr;
  std::uintptr_t last_pc = 0;
  std::size_t* last_count = nullptr;
  for (const Thread& thread : threads_) {
    if (thread.state != Thread::State::kAtBarrier) continue;
    if (!first) first = &thread;
    if (thread.pc != last_pc) {
      last_pc = thread.pc;
      last_count = &waiting[site_before(last_pc)];
    }
    ++*last_count;
  }
  const Site* const here = site_before(first->pc);
  const std::string waiting_here = count_of(waiting[here], "thread") + " of block " +
                                   text_of(block_) +
                                   (waiting[here] == 1 ? " waits here, " : " wait here, ");
  if (waiting.size() > 1) {
    std::string others;
    for (const auto& [site, count] : waiting)
      if (site != here)
        others +=
            (others.empty() ? "" : ", ") + std::to_string(count) + " at " + line_of(*site, *here);
    report(Finding::Kind::kBarrier, false, *first, first->pc,
           waiting_here + others +
               "\n  all threads of a block must reach the same __syncthreads(): move it out of "
               "the condition");
  } else if (observer_ && exited_ > failed_) {
    report(Finding::Kind::kBarrier, true, *first, first->pc,
           waiting_here + std::to_string(exited_ - failed_) +
               (exited_ - failed_ == 1 ? " has" : " have") +
               " returned before\n  a GPU goes on without them; but they cannot help with "
               "what follows. Guard the work, not the thread: if (i < n) { ... }");
  }
}

}  // namespace td::simt
