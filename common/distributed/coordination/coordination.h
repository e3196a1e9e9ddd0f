// The coordination service: in addition to the transport, every rank has one TCP connection to rank
// 0, over which it sends its state many times per second. Rank 0 watches all ranks, and all watch
// rank 0. A rank that fails, hangs, leaves or makes another call than the others is named on every
// rank in one error message, whatever the transport. init_process_group makes it; the process
// groups report to it. Invariant: a group has one error, which never changes; every message is a
// whole state, so none depends on an earlier one; the transport never waits for this service.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "distributed/coordination/failure_detector.h"
#include "distributed/rendezvous/rendezvous.h"
#include "distributed/transport/process_group_host.h"

namespace td::distributed {

/// This rank's part of the service: its state, what it knows of the group, and the thread that
/// serves its connections. Thread-safe.
class CoordinationAgent : public CollectiveObserver {
 public:
  ~CoordinationAgent() override = default;
  void started(const CollectiveFingerprint& key) override;
  void finished(const CollectiveFingerprint& key) override;
  void failed(const std::string& why) override;
  std::string explain(const CollectiveFingerprint& key, const std::string& error) override;
  void check() override;
  void on_failure(std::function<void(const std::string&)> report) override;
  void leave() override;

  /// An all-gather of strings: an Exchange (host_info.h).
  /// @throws DistributedError when a rank fails or does not come.
  std::vector<std::string> exchange(const std::string& mine);

 protected:
  using Clock = std::chrono::steady_clock;
  using Lock = std::unique_lock<std::mutex>;

  CoordinationAgent(RendezvousInfo info, const Limits& limits);
  void start();  ///< called when a derived class is ready
  void stop();   ///< called before a derived class ends
  /// The work, when a message has come and at least every 50 ms. It holds the lock.
  virtual void step(Clock::time_point now) = 0;
  RankState state_at(Clock::time_point now) const;  ///< this rank's state, to be sent
  bool is_due(Clock::time_point now);  ///< to send the state, because of the time or a change

  const Limits limits_;              ///< how long to wait, and how often to send
  std::mutex mutex_;                 ///< guards what follows
  RendezvousInfo info_;              ///< the hosts, and the connections to other ranks
  std::condition_variable changed_;  ///< notified when `group_` has changed
  RankState mine_;                   ///< where a call's `milliseconds` are the time of its start
  GroupState group_;                 ///< what rank 0 last said of all ranks
  Clock::time_point leaving_since_;  ///< when this rank said that it leaves

 private:
  void run();
  void wake();
  Heartbeat::Call& call_of(CollectiveType type);

  Clock::time_point next_message_;
  std::function<void(const std::string&)> report_;
  bool stopped_ = false;
  FileDescriptor wake_;
  std::thread thread_;
};

/// Starts the service on the connections that join() has made.
std::shared_ptr<CoordinationAgent> open_coordination(int rank, RendezvousInfo info,
                                                     const Limits& limits);

}  // namespace td::distributed
