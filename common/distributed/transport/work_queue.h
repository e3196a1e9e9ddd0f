// A queue of collectives with the thread that executes them. A process group over host memory
// (process_group_host.h) has three of them.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "distributed/process_group.h"
#include "td/device/context.h"
#include "td/device/stream.h"

namespace td::distributed {

class WorkQueue;

namespace detail {
inline thread_local constinit bool runs_inline = false;  // by an InlineExecutionGuard
}  // namespace detail

/// One call in a queue. Thread-safe.
class AsyncWork : public Work {
 public:
  explicit AsyncWork(Collective call);
  void wait() override;
  bool is_completed() const override;
  /// Completes it, with an error or without; only the first call counts.
  void finish(std::exception_ptr error);

  Collective call;        ///< the fingerprint and the tensors
  optional<Event> ready;  ///< recorded after the work that produces an accelerator's tensors

 private:
  friend class WorkQueue;

  // Not std::promise, which allocates twice on the heap in every training step.
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::exception_ptr error_;
  std::weak_ptr<WorkQueue> queue_;
  bool run_inline_;  // guarded by the queue's mutex
};

/// For the lifetime of the object, this thread waits for each call immediately after it starts the
/// call. The waiting thread then executes the call itself, which saves two thread switches.
struct InlineExecutionGuard : ScopedValue<bool> {
  InlineExecutionGuard() : ScopedValue(detail::runs_inline, true) {}
};

/// See above. Thread-safe. The thread starts with the first work that is not executed inline.
class WorkQueue : public std::enable_shared_from_this<WorkQueue> {
 public:
  using Execute = std::function<void(AsyncWork&)>;

  /// @param name of its thread and of its track in traces: "collectives", "sends".
  /// @param execute called for one work after another.
  WorkQueue(const char* name, Execute execute);
  /// Appends a work.
  void enqueue(std::shared_ptr<AsyncWork> work);
  /// Executes `work` in the calling thread if it is the first one and no thread executes it yet;
  /// otherwise leaves it to the queue's thread.
  void help(AsyncWork& work);
  /// All works end with this error, including the one that is being executed.
  void fail(const std::exception_ptr& error);
  /// Ends the queue. Waits for the remaining works, or, with `abandon`, detaches the thread: a call
  /// into a library that waits for a failed rank cannot be ended from outside.
  void close(bool abandon);

 private:
  void run();
  bool has_work_for_thread() const;
  void wake_thread();
  void execute_first(std::unique_lock<std::mutex>& lock);

  const char* const name_;
  const Execute execute_;
  const std::uint32_t track_;  // of traces
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<AsyncWork>> works_;
  bool busy_ = false;  // the first one is being executed
  std::exception_ptr error_;
  bool closed_ = false;
  std::thread thread_;
};

}  // namespace td::distributed
