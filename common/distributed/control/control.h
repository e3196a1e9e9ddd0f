// The control plane: beside the data, every rank has one TCP connection to rank 0, over which it
// tells many times a second what it is doing. Rank 0 looks after all, and all look after rank 0: a
// rank that dies, is stuck, leaves or makes another call than the others is named on every rank in
// the same words, however the data travels. init_process_group makes it; HostGroup reports to it.
// Invariant: a group has one verdict, which never changes; the data plane never waits for this.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "distributed/control/judge.h"
#include "distributed/control/socket.h"
#include "distributed/planes/host_group.h"

namespace td::distributed {

/// What both ends of the star have in common: this rank's own state, and the thread that looks
/// after the connections.
class Control : public CollectiveObserver {
 public:
  void started(const CollectiveKey& key) override;
  void finished(const CollectiveKey& key) override;
  void failed(const std::string& why) override;
  std::string explain(const CollectiveKey& key, const std::string& error) override;
  void on_failure(std::function<void(const std::string&)> tell) override;
  void leave() override;

  /// Gives `mine` to all ranks and returns what each gave: an Exchange (host_facts.h).
  /// @throws DistributedError when a rank fails or does not come.
  std::vector<std::string> exchange(const std::string& mine);
  /// @throws DistributedError when there is a verdict.
  void check();

 protected:
  using Clock = std::chrono::steady_clock;
  using Lock = std::unique_lock<std::mutex>;
  /// What both ends need: kinds of messages, the thread's start and end, what it does, and what it
  /// knows. `mutex_` guards all that changes.
  ///@{
  enum Kind : std::uint8_t {
    kHello,
    kStatus,
    kFailed,
    kTrouble,
    kLeft,
    kGive,
    kBye,
    kVerdict,
    kAll
  };

  Control(int rank, Meeting meeting, Limits limits);
  ~Control() override;
  void start();  // called when a derived class is ready
  void stop();   // called before a derived class ends
  /// The connections to watch; then what there is to do, at least every kBeat. Both hold the lock.
  virtual std::vector<Socket*> sockets() = 0;
  virtual void step(Clock::time_point now) = 0;
  Status status_now(Clock::time_point now) const;
  bool time_for_a_beat(Clock::time_point now);

  const int rank_;
  const Meeting meeting_;
  const Limits limits_;
  // All below is guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string failure_;          // the verdict
  std::string error_, trouble_;  // of this rank
  bool leaving_ = false, may_go_ = false;
  Clock::time_point leaving_since_;
  std::optional<std::string> gift_;                // of this rank, for exchange()
  std::optional<std::vector<std::string>> gifts_;  // of all ranks

  ///@}

 private:
  void run();
  void wake();
  Status::Call& call_of(CollectiveType type);

  Status status_;
  Clock::time_point since_[3], next_beat_;
  std::function<void(const std::string&)> tell_;
  bool stopped_ = false;
  Descriptor wake_;
  std::thread thread_;
};

/// Connects this rank to the others. @param listener on rank 0 the one that join() published.
/// @throws DistributedError when a rank does not connect in time.
std::shared_ptr<Control> open_control(int rank, const Meeting& meeting, const Limits& limits,
                                      Listener* listener);

}  // namespace td::distributed
