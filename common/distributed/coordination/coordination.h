// The coordination service: in addition to the transport, every rank has one TCP connection to rank
// 0, over which it sends its state many times per second. Rank 0 watches all ranks, and all watch
// rank 0. A rank that fails, hangs, leaves or makes a different call is named on every rank in one
// error message, whatever the transport. init_process_group creates it; the process groups report
// to it. Invariant: a group has one error, which never changes; every message is a whole state, so
// none depends on an earlier one; the transport never waits for this service.
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
class CoordinationAgent final : public CollectiveObserver {
 public:
  /// Starts the service on the connections that join() has made.
  CoordinationAgent(int rank, RendezvousInfo info, const Limits& limits);
  ~CoordinationAgent() override { stop(); }
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

 private:
  using Clock = std::chrono::steady_clock;
  using Lock = std::unique_lock<std::mutex>;

  void run();
  void stop();
  void wake();
  bool is_due(Clock::time_point now);
  Heartbeat::Call& call_of(CollectiveType type);
  RankState state_at(Clock::time_point now) const;
  void follow(Clock::time_point now);
  void coordinate(Clock::time_point now);
  void take(RankReport& report, const RankState& state, Clock::time_point now);
  void finish_exchange();
  void send_to_all(bool due);

  const int rank_;
  const Limits limits_;
  std::mutex mutex_;                 // guards what follows
  RendezvousInfo info_;              // the hosts, and the connections to other ranks
  std::condition_variable changed_;  // notified when group_ has changed
  RankState mine_;                   // where a call's `milliseconds` are the time of its start
  GroupState group_;                 // what rank 0 last sent about all ranks
  std::vector<RankReport> reports_;  // on rank 0: all ranks
  Clock::time_point last_message_ = Clock::now();  // from rank 0
  Clock::time_point leaving_since_;                // when this rank announced that it leaves
  Clock::time_point next_message_;
  std::function<void(const std::string&)> report_;
  bool stopped_ = false;
  FileDescriptor wake_;
  std::thread thread_;
};

}  // namespace td::distributed
