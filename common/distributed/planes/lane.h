// A queue of collectives with the thread that carries them out. HostGroup has three: collectives,
// which must keep their order, and sends and receives, which must not hold each other up.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "td/device/stream.h"
#include "distributed/collective.h"
#include "distributed/work.h"

namespace td::distributed {

class Lane;

/// One call in a lane.
class HostWork final : public Work {
 public:
  explicit HostWork(Collective call);
  void wait() override;
  bool is_completed() const override;
  /// Ends it, with an error or without; only the first time counts.
  void finish(std::exception_ptr error);

  const Collective call;  ///< what is to be done
  optional<Event> ready;  ///< when the values of an accelerator's tensors are there

 private:
  friend class Lane;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::exception_ptr error_;
  std::weak_ptr<Lane> lane_;
  bool at_once_;  // see WaitsAtOnce; the lane's mutex guards it
};

/// While there is one, this thread waits for every call as soon as it has made it. Such a call is
/// carried out by the thread that waits, which saves waking another one and being woken by it.
class WaitsAtOnce {
 public:
  WaitsAtOnce();
  ~WaitsAtOnce();
  WaitsAtOnce(const WaitsAtOnce&) = delete;
  WaitsAtOnce& operator=(const WaitsAtOnce&) = delete;

 private:
  bool before_;
};

/// See above. The thread starts with the first work that nobody waits for at once.
class Lane : public std::enable_shared_from_this<Lane> {
 public:
  /// @param name "collectives", "sends": of its thread, and of its row in traces.
  /// @param carry_out called for one work after another.
  Lane(const char* name, std::function<void(HostWork&)> carry_out);
  /// Puts a work at the end of the queue.
  void add(std::shared_ptr<HostWork> work);
  /// Carries out `work` in the calling thread if it is its turn and nobody does it yet; else leaves
  /// it to the lane's thread.
  void help(HostWork& work);
  /// All works end with this error, also the one in the lane's hands.
  void fail(const std::exception_ptr& error);
  /// No work comes any more. Waits for the rest, or, when `abandon`, leaves the thread to itself:
  /// a call into a library that waits for a dead rank cannot be ended from outside.
  void close(bool abandon);

 private:
  void run();
  bool has_work_for_thread() const;
  void wake_thread();
  void do_first(std::unique_lock<std::mutex>& lock);

  const char* const name_;
  const std::uint32_t row_;  // of traces
  std::function<void(HostWork&)> carry_out_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<HostWork>> works_;
  bool busy_ = false;  // the first one is being carried out
  std::exception_ptr error_;
  bool closed_ = false;
  std::thread thread_;
};

}  // namespace td::distributed
