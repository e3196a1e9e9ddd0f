// Runs the blocks of one launch on the calling OS thread: every thread of a block, their barriers
// and the functions of their warps. Used by run.cpp; the functions of device_calls.h call it.
//
// A thread is a plain call until it first waits: threads run one after another on one fiber, and
// when one of them waits, its fiber waits with it and the next thread gets another fiber.
//
// Invariant: a machine runs one block at a time, and all of its threads on one OS thread, because
// shared variables are thread_local, and compilers may keep the addresses of such variables.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "simt/device_calls.h"
#include "simt/fibers.h"
#include "simt/library.h"
#include "simt/memory_map.h"
#include "simt/observer.h"
#include "simt/run.h"
#include "simt/time_limit.h"

namespace td::simt {

/// One thread of the running block. As large as a cache line, because a switch from one to the next
/// accesses one line of each.
struct alignas(64) Thread {
  enum class State : std::uint8_t { kRuns, kAtBarrier, kAtGridBarrier, kInWarpFunction };
  ThreadInfo info{};
  Fiber* fiber = nullptr;    ///< While it waits.
  std::uintptr_t pc = 0;     ///< Where it waits: the address after the call.
  std::uint64_t value = 0;   ///< Its input to a function of its warp, or its predicate.
  std::uint64_t result = 0;  ///< Its result of that function.
  unsigned mask = 0;         ///< For kInWarpFunction.
  int lane = 0, width = 32;  ///< Of a shuffle: its lane, delta or lane mask, and its width.
  State state = State::kRuns;
  BlockBarrier barrier{};   ///< For kAtBarrier.
  WarpFunction function{};  ///< For kInWarpFunction.
};

/// A copy that its thread has not waited for.
struct AsyncCopy {
  void* to;
  const void* from;
  std::size_t bytes, zeros;
  std::uintptr_t pc;
  std::uint32_t batch = 0;
  std::size_t shared_reads = 0;  ///< Of its thread, when it began.
};
struct AsyncCopies {
  std::vector<AsyncCopy> pending;
  std::uint32_t batch = 0;       ///< Batches that were committed.
  std::size_t shared_reads = 0;  ///< Of the thread, so far.
};

/// The lanes of one warp, one bit per lane.
struct Warp {
  unsigned exited = 0;   ///< Returned, ended by an error, or beyond the end of the block.
  unsigned failed = 0;   ///< Ended by an error; they have exited, too.
  unsigned waiting = 0;  ///< In a function of the warp.
  unsigned active = 0;   ///< In active_lanes(); they do not count as waiting.
};

/// A block whose threads wait for other blocks, or have returned.
struct SuspendedBlock {
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::vector<std::uint32_t> order;
  std::vector<Thread*> ready;
  std::vector<AsyncCopies> copies;
  uint3 index{};
  std::uint32_t next_thread = 0, exited = 0, failed = 0, at_barrier = 0, active = 0;
  std::uintptr_t barrier_pc = 0;
  bool barriers_differ = false;
  std::vector<char> shared[2];  ///< A copy of its variables, and of its dynamic shared memory.
};

class Machine {
 public:
  /// The machine of the calling OS thread, made at first use.
  static Machine& of_this_thread();
  /// The same while it runs a kernel's thread, or nullptr. Async-signal-safe.
  static Machine* running() { return in_launch_ && in_launch_->current_ ? in_launch_ : nullptr; }

  /// Prepares for the blocks of a launch, and ends it. In between, the launch must not change.
  ///@{
  void begin(const Launch& launch, Observer* observer, const RunOptions& options);
  void end();
  ///@}
  /// Runs one block. @return false when the launch cannot continue.
  bool run_block(std::uint32_t number);
  /// Whether the block waits for others, after run_block and resume_block: at a barrier of the
  /// grid, or in a loop of a launch that is not cooperative. Then the caller suspends it, and
  /// resumes it after all blocks have arrived at the barrier, or after others have run.
  ///@{
  bool is_suspended() const { return at_grid_barrier_ > 0 || is_stalled_; }
  SuspendedBlock suspend();
  bool resume_block(SuspendedBlock block);
  ///@}
  /// Ends a launch in which some of its `count` blocks wait for others that have ended.
  void abandon_suspended(std::vector<SuspendedBlock> blocks, std::size_t count);

  /// What device_calls.h declares, for the current thread. `pc` is the address after the call.
  ///@{
  int block_barrier(BlockBarrier barrier, int predicate, std::uintptr_t pc);
  std::uint64_t warp_call(WarpFunction function, unsigned mask, std::uint64_t value, int lane,
                          int width, std::uintptr_t pc);
  unsigned active_lanes(std::uintptr_t pc);
  bool is_cooperative() const { return launch_->info.is_cooperative; }
  void grid_barrier(std::uintptr_t pc);
  void wait_for_others(std::uintptr_t pc);
  void async_copy(const AsyncCopy& copy);
  void async_commit();
  void async_wait(std::size_t left);
  void access(AccessKind kind, std::uintptr_t address, std::size_t bytes, AccessForm form,
              std::uintptr_t pc);
  /// Lets other threads run from time to time, because the current one may wait for them.
  void may_wait(std::uintptr_t pc);
  /// Called before an access through a pointer to volatile: see active_lanes.cpp.
  void keep_in_step(std::uintptr_t address, std::uintptr_t pc);
  void fence();
  ///@}
  /// Reports what the current thread does wrong at `pc`, and ends the thread. Its stack is
  /// abandoned, so the caller has no object with a destructor except the text.
  [[noreturn]] void fail_thread(Finding::Kind kind, std::uintptr_t pc, std::string text);
  /// What a signal tells of the current thread's instruction.
  struct Fault {
    int signal = 0;
    std::uintptr_t pc = 0, address = 0;
    bool is_general = false;  ///< The processor names no address.
    bool is_overflow = false;
    Thread* thread = nullptr;
  };
  /// Ends the current thread after a signal, whose report follows on the machine's own stack.
  [[noreturn]] void end_at_fault(Fault fault);
  /// The timer's signal came while the thread was at `pc`. Returns where the thread may go on.
  void on_tick(std::uintptr_t pc);

  Observer* observer() const { return observer_; }
  /// The current thread; only while running() is not null.
  const ThreadInfo& current() const { return current_->info; }
  std::uint64_t seed() const { return options_.seed; }
  /// The library of the kernel.
  const Library& library() const { return *library_; }
  AddressSpace address_space(std::uintptr_t address) const;
  /// Whether the launch was ended because its time was over.
  bool timed_out() const { return timed_out_; }
  /// Those of findings() about values of lanes that take no part in a shuffle.
  const std::vector<std::size_t>& undefined_values() const { return undefined_values_; }
  /// The findings of the machine since begin(), in the order of their first occurrence.
  std::vector<Finding>& findings() { return findings_; }

 private:
  Machine();
  static void work(void* machine, Fiber& self);
  void run_thread(Thread& thread, Fiber& self);
  bool stalls() const;
  void begin_block(std::uint32_t number);
  bool run_threads();
  std::vector<Range> shared_memory() const;
  void copy_now(const AsyncCopy& copy);
  void check_unawaited_copies();
  void resume(Thread& thread, Fiber& here);
  void enter(Thread& thread, Fiber& fiber);
  void wait(Thread& thread);
  void finish(Thread& thread);
  void mark_failed(const Thread& thread);
  void check_heap(const Access& access, std::uintptr_t pc);
  [[noreturn]] void end_thread();
  void let_others_run();
  void abandon_block();
  void report_fault();
  void report_timeout(const Fault& fault);
  void report_exception(const Thread& thread, const std::string& what);

  void release_barrier();
  void check_barrier();
  std::uint64_t barrier_result(const Thread& thread) const;

  unsigned named_lanes(const Thread& thread) const;
  void complete_waiting(std::uint32_t warp);
  bool try_complete(std::uint32_t warp, unsigned lane);
  void complete(std::uint32_t warp, unsigned group);
  void make_group_ready(std::uint32_t warp, unsigned group);
  void group_active();
  void give_results(std::uint32_t warp, unsigned group);
  void give_shuffle(std::uint32_t warp, unsigned group, Thread& thread);
  void multiply_matrices(std::uint32_t warp, unsigned group);
  void check_all_lanes(std::uint32_t warp, unsigned group);
  void check_matrix(std::uint32_t warp, unsigned group);
  void report_mismatch(const Thread& thread, const Thread& other);
  void report_absent_source(std::uint32_t warp, const Thread& thread, unsigned source);
  void report_deadlock();
  void report_mixed_barriers();
  void report_absent_blocks(const std::vector<SuspendedBlock>& blocks, std::size_t count);
  void check_call(const Thread& thread);
  Thread& lane_of(std::uint32_t warp, unsigned lane) { return threads_[warp * 32 + lane]; }

  /// Returns the number of the finding.
  std::size_t report(Finding::Kind kind, bool is_note, const Thread& thread, std::uintptr_t pc,
                     const std::string& text);
  void make_ready(Thread& thread) { ready_.push_back(&thread); }

  static constinit thread_local Machine* in_launch_;  // between begin() and end()

  FiberPool fibers_;
  const Launch* launch_ = nullptr;
  Observer* observer_ = nullptr;
  RunOptions options_;
  MemoryMap memory_;
  std::vector<Thread> threads_;       // by linear index
  std::vector<std::uint32_t> order_;  // in which the threads begin
  std::vector<Warp> warps_;
  std::vector<Thread*> ready_;  // may be resumed, from next_ready_ on
  std::size_t next_ready_ = 0;
  std::uint32_t next_thread_ = 0;  // of order_: the first that has not begun
  std::uint32_t exited_ = 0, failed_ = 0, at_barrier_ = 0;  // failed_: exited by an error
  std::uint32_t active_ = 0;                                // in active_lanes()
  std::uint32_t at_grid_barrier_ = 0;
  std::vector<AsyncCopies> copies_;  // by thread; empty until the launch has some
  std::uintptr_t barrier_pc_ = 0;    // of the first thread at the barrier
  bool barriers_differ_ = false;     // other threads wait elsewhere
  bool begins_others_ = false;       // threads that have not begun go first
  Thread* current_ = nullptr;        // nullptr outside of threads
  Fiber* fiber_ = nullptr;           // of the current thread
  uint3 block_{};
  bool stuck_ = false, timed_out_ = false;
  bool is_stalled_ = false;       // the block waits in loops, and others are to run
  bool may_have_waited_ = false;  // may_wait() was called since the last barrier
  std::size_t yields_ = 0;        // of threads that wait in a loop, since one ended
  std::size_t rounds_ = 0;        // of a loop with a barrier, since a thread ended
  std::size_t suspended_ = 0;     // threads of blocks that are suspended because they stalled
  int waits_ = 0;                 // calls of may_wait() since the last switch
  int steps_ = 0;                 // of keep_in_step() in this block since the last barrier
  TimeLimit limit_;
  const Library* library_ = nullptr;  // of the kernel
  Fault fault_;
  std::vector<std::size_t> undefined_values_;
  std::vector<Finding> findings_;
};

/// Calls `f(lane)` for each lane of the mask.
template <class F>
void each_lane(unsigned lanes, F f) {
  for (; lanes; lanes &= lanes - 1) f(static_cast<unsigned>(std::countr_zero(lanes)));
}

/// As they are called in a kernel: "__shfl_down_sync".
const char* name_of(WarpFunction function);

}  // namespace td::simt
