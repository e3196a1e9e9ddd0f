// A queue of collectives with the thread that executes them. Both process groups have three: one
// for collectives, which must keep their order, and one each for sends and receives, which must not
// delay each other. Over host memory (process_group_host.h) the thread moves the data; over NCCL
// (process_group_nccl.h) it watches what the GPU does.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "distributed/process_group.h"
#include "td/device/stream.h"

namespace td::distributed {

class WorkQueue;

/// One call in a queue. Thread-safe.
class AsyncWork : public Work {
 public:
  /// @param may_run_inline the thread that waits may execute it; see InlineExecutionGuard.
  explicit AsyncWork(Collective call, bool may_run_inline = true);
  void wait() override;
  bool is_completed() const override;
  /// Completes it, with an error or without; only the first call counts.
  void finish(std::exception_ptr error);

  Collective call;        ///< the fingerprint and the tensors
  optional<Event> ready;  ///< recorded after the work that produces an accelerator's tensors

 private:
  friend class WorkQueue;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::exception_ptr error_;
  std::weak_ptr<WorkQueue> queue_;
  bool run_inline_;  // guarded by the queue's mutex
};

/// For the lifetime of the object, this thread waits for each call immediately after it starts the
/// call. The waiting thread then executes the call itself, which saves two thread switches.
class InlineExecutionGuard {
 public:
  InlineExecutionGuard();
  ~InlineExecutionGuard();
  InlineExecutionGuard(const InlineExecutionGuard&) = delete;
  InlineExecutionGuard& operator=(const InlineExecutionGuard&) = delete;

 private:
  bool before_;
};

/// See above. Thread-safe. The thread starts with the first work that is not executed inline.
class WorkQueue : public std::enable_shared_from_this<WorkQueue> {
 public:
  using Execute = std::function<void(AsyncWork&)>;

  /// @param name of its thread and of its track in traces: "collectives", "sends".
  /// @param execute called for one work after another. @param traced each call is a span.
  WorkQueue(const char* name, Execute execute, bool traced = true);
  /// Appends a work.
  void enqueue(std::shared_ptr<AsyncWork> work);
  /// Executes `work` in the calling thread if it is the first one and no thread executes it yet;
  /// otherwise leaves it to the queue's thread.
  void help(AsyncWork& work);
  /// Starts the thread, which calls `check` from now on while the queue is empty, every 100 ms.
  void check_when_idle(std::function<void()> check);
  /// All works end with this error, including the one that is being executed.
  void fail(const std::exception_ptr& error);
  /// Ends the queue. Waits for the remaining works, or, with `abandon`, detaches the thread: a call
  /// into a library that waits for a dead rank cannot be ended from outside.
  void close(bool abandon);

 private:
  void run();
  bool has_work_for_thread() const;
  void wake_thread();
  void execute(AsyncWork& work);
  void execute_first(std::unique_lock<std::mutex>& lock);

  const char* const name_;
  const Execute execute_;
  std::uint32_t track_ = 0;  // of traces
  const bool traced_;
  std::function<void()> check_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<AsyncWork>> works_;
  bool busy_ = false;  // the first one is being executed
  std::exception_ptr error_;
  bool closed_ = false;
  std::thread thread_;
};

/// The queues of a group.
struct WorkQueues {
  /// See WorkQueue.
  WorkQueues(const WorkQueue::Execute& execute, bool traced)
      : collectives(std::make_shared<WorkQueue>("collectives", execute, traced)),
        sends(std::make_shared<WorkQueue>("sends", execute, traced)),
        receives(std::make_shared<WorkQueue>("receives", execute, traced)) {}
  /// Appends a work to the queue of its kind.
  void enqueue(std::shared_ptr<AsyncWork> work) const {
    const CollectiveType type = work->call.key.type;
    const auto& queue = type == CollectiveType::kSend      ? sends
                        : type == CollectiveType::kReceive ? receives
                                                           : collectives;
    queue->enqueue(std::move(work));
  }
  /// The same of each queue.
  ///@{
  void fail(const std::exception_ptr& error) const {
    for (const auto& queue : {collectives, sends, receives}) queue->fail(error);
  }
  void close(bool abandon) const {
    for (const auto& queue : {collectives, sends, receives}) queue->close(abandon);
  }
  ///@}

  /// The queue of each kind.
  ///@{
  const std::shared_ptr<WorkQueue> collectives, sends, receives;
  ///@}
};

}  // namespace td::distributed
