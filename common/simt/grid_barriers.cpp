// Blocks that wait for others: at barriers of a cooperative launch, and in loops. A block stays on
// its OS thread, and all blocks share the places of their shared variables; so a block that waits
// is suspended with a copy of its shared memory.
#include <algorithm>
#include <utility>

#include "simt/debug_info.h"
#include "simt/machine.h"
#include "simt/texts.h"
#include "simt/thread_variables.h"

namespace td::simt {

void Machine::grid_barrier(std::uintptr_t pc) {
  if (!is_cooperative())
    fail_thread(Finding::Kind::kBarrier, pc,
                "thread " + text_of(current_->info.index) + " of block " + text_of(block_) +
                    " waits for the whole grid, but the launch is not cooperative\n  blocks of "
                    "other launches may run one after another: launch the kernel with "
                    "cudaLaunchCooperativeKernel");
  current_->state = Thread::State::kAtGridBarrier;
  current_->pc = pc;
  ++at_grid_barrier_;
  wait(*current_);
}

/// Where a block's shared memory is: the variables, and the dynamic shared memory of the launch.
std::vector<Range> Machine::shared_memory() const {
  const Range all = library_->thread_local_variables;
  const std::uintptr_t dynamic = library_->dynamic_shared;
  if (dynamic == 0) return {all, {all.begin, 0}};
  return {{all.begin, dynamic - all.begin}, {dynamic, launch_->info.dynamic_shared}};
}

SuspendedBlock Machine::suspend() {
  SuspendedBlock block;
  const std::vector<Range> memory = shared_memory();
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const auto* const begin = reinterpret_cast<const char*>(memory[i].begin);
    block.shared[i].assign(begin, begin + memory[i].bytes);
  }
  block.order = order_;
  block.index = block_;
  block.next_thread = next_thread_;
  block.exited = exited_;
  block.failed = failed_;
  block.at_barrier = at_barrier_;
  block.active = active_;
  block.barrier_pc = barrier_pc_;
  block.barriers_differ = barriers_differ_;
  block.warps = warps_;
  block.ready.assign(ready_.begin() + static_cast<std::ptrdiff_t>(next_ready_), ready_.end());
  block.copies = std::exchange(copies_, {});
  ready_.clear();
  next_ready_ = 0;
  at_grid_barrier_ = 0;
  if (std::exchange(is_stalled_, false)) suspended_ += threads_.size();
  block.threads = std::move(threads_);  // the functions on their stacks know their addresses
  threads_.resize(block.threads.size());
  for (std::size_t i = 0; i < threads_.size(); ++i) threads_[i].info = block.threads[i].info;
  return block;
}

bool Machine::resume_block(SuspendedBlock block) {
  const std::vector<Range> memory = shared_memory();
  for (std::size_t i = 0; i < memory.size(); ++i)
    std::ranges::copy(block.shared[i], reinterpret_cast<char*>(memory[i].begin));
  threads_ = std::move(block.threads);
  warps_ = std::move(block.warps);
  order_ = std::move(block.order);
  block_ = block.index;
  blockIdx = block_;
  next_thread_ = block.next_thread;
  exited_ = block.exited;
  failed_ = block.failed;
  at_barrier_ = block.at_barrier;
  active_ = block.active;
  barrier_pc_ = block.barrier_pc;
  barriers_differ_ = block.barriers_differ;
  ready_ = std::move(block.ready);
  copies_ = std::move(block.copies);
  if (is_cooperative()) {
    for (const std::uint32_t i : order_)
      if (threads_[i].state == Thread::State::kAtGridBarrier) make_ready(threads_[i]);
    limit_.restart();
  } else {
    suspended_ -= threads_.size();  // its time goes on: nothing has happened that it waits for
  }
  if (observer_) observer_->resume_block(block_);
  return run_threads();
}

void Machine::abandon_suspended(std::vector<SuspendedBlock> blocks, std::size_t count) {
  if (findings_.empty()) report_absent_blocks(blocks, count);
  for (SuspendedBlock& block : blocks) {
    threads_ = std::move(block.threads);
    abandon_block();
  }
}

void Machine::report_absent_blocks(const std::vector<SuspendedBlock>& blocks, std::size_t count) {
  for (const Thread& thread : blocks.front().threads) {
    if (thread.state != Thread::State::kAtGridBarrier) continue;
    block_ = blocks.front().index;
    report(Finding::Kind::kBarrier, false, thread, thread.pc,
           count_of(blocks.size(), "block") + " of " + std::to_string(count) +
               " wait here for the whole grid, the others have ended\n  a GPU would wait forever: "
               "all blocks must reach the barrier. Guard the work, not the thread: "
               "if (i < n) { ... }");
    return;
  }
}

void Machine::report_mixed_barriers() {
  const auto at = [&](Thread::State state) {
    return *std::find_if(threads_.begin(), threads_.end(),
                         [&](const Thread& thread) { return thread.state == state; });
  };
  const Thread of_block = at(Thread::State::kAtBarrier),
               of_grid = at(Thread::State::kAtGridBarrier);
  report(
      Finding::Kind::kBarrier, false, of_block, of_block.pc,
      count_of(at_barrier_, "thread") + " of block " + text_of(block_) + " wait here, " +
          std::to_string(at_grid_barrier_) + " for the whole grid at " +
          line_of(*site_before(of_grid.pc), *site_before(of_block.pc)) +
          "\n  all threads of a block must reach the same barrier: move it out of the condition");
}

}  // namespace td::simt
