// The coordination service: in addition to the transport, every rank has one TCP connection to rank
// 0, over which it sends its state many times per second. Rank 0 watches all ranks, and all watch
// rank 0. A rank that fails, hangs, leaves or makes another call than the others is named on every
// rank in one error message, whatever the transport. init_process_group makes it; the process
// groups report to it. Invariant: a group has one error, which never changes; the transport never
// waits for this service.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "distributed/coordination/failure_detector.h"
#include "distributed/coordination/socket.h"
#include "distributed/transport/process_group_host.h"

namespace td::distributed {

/// What rank 0 and the other ranks have in common: this rank's state, and the thread that serves
/// the connections. Thread-safe.
class CoordinationAgent : public CollectiveObserver {
 public:
  void started(const CollectiveFingerprint& key) override;
  void finished(const CollectiveFingerprint& key) override;
  void failed(const std::string& why) override;
  std::string explain(const CollectiveFingerprint& key, const std::string& error) override;
  void on_failure(std::function<void(const std::string&)> report) override;
  void leave() override;

  /// An all-gather of strings: an Exchange (host_info.h).
  /// @throws DistributedError when a rank fails or does not come.
  std::vector<std::string> exchange(const std::string& mine);
  /// @throws DistributedError when the group has failed.
  void check();

 protected:
  using Clock = std::chrono::steady_clock;
  using Lock = std::unique_lock<std::mutex>;
  /// For the derived classes: kinds of messages, the thread's start and end, its work, and the
  /// state. `mutex_` guards all that changes.
  ///@{
  enum Kind : std::uint8_t {
    kHello,
    kHeartbeat,
    kFailed,
    kTransportError,
    kLeft,
    kAllGatherInput,
    kShutdownAck,
    kGroupError,
    kAllGatherResult
  };

  CoordinationAgent(int rank, RendezvousInfo info, Limits limits);
  ~CoordinationAgent() override;
  void start();  // called when a derived class is ready
  void stop();   // called before a derived class ends
  /// The connections to watch; then the work, at least every kHeartbeatInterval. Both hold the
  /// lock.
  virtual std::vector<Socket*> sockets() = 0;
  virtual void step(Clock::time_point now) = 0;
  Heartbeat heartbeat_now(Clock::time_point now) const;
  bool heartbeat_due(Clock::time_point now);

  const int rank_;
  const RendezvousInfo info_;
  const Limits limits_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string failure_;                  // the group's error
  std::string error_, transport_error_;  // of this rank
  bool leaving_ = false, may_leave_ = false;
  Clock::time_point leaving_since_;
  std::optional<std::string> allgather_input_;                // of this rank, for exchange()
  std::optional<std::vector<std::string>> allgather_result_;  // of all ranks
                                                              ///@}

 private:
  void run();
  void wake();
  Heartbeat::Call& call_of(CollectiveType type);

  Heartbeat heartbeat_;
  Clock::time_point since_[3], next_heartbeat_;
  std::function<void(const std::string&)> report_;
  bool stopped_ = false;
  Descriptor wake_;
  std::thread thread_;
};

/// Rank 0: collects the states of all ranks, diagnoses failures, and sends the error to all ranks.
class Coordinator final : public CoordinationAgent {
 public:
  Coordinator(const RendezvousInfo& info, const Limits& limits, Listener& listener);
  ~Coordinator() override { stop(); }

 private:
  struct Peer {
    std::optional<Socket> socket;
    RankReport report;
    Clock::time_point last_message, transport_error_since;
    std::optional<std::string> allgather_input;
    bool acknowledged = false;  // it may close its connection
  };

  std::vector<Socket*> sockets() override;
  void step(Clock::time_point now) override;
  void wait_for_all(Listener& listener);
  bool accept(Descriptor connection, Clock::time_point end);
  void handle(Peer& peer, const Message& message, Clock::time_point now);
  void report_self(Clock::time_point now);
  void find_failure(Clock::time_point now);
  void finish_allgather();
  void acknowledge_shutdown(Clock::time_point now);
  void send_to_all(Kind kind, const std::string& body);

  std::vector<Peer> peers_;  // peers_[0] is this rank, without a socket
};

/// The other ranks: send their state to rank 0 and receive its messages.
class CoordinationClient final : public CoordinationAgent {
 public:
  CoordinationClient(int rank, const RendezvousInfo& info, const Limits& limits);
  ~CoordinationClient() override { stop(); }

 private:
  std::vector<Socket*> sockets() override;
  void step(Clock::time_point now) override;
  void handle(const Message& message);
  void send_state(Clock::time_point now);

  Socket socket_;
  Clock::time_point last_message_;
  bool sent_error_ = false, sent_transport_error_ = false, sent_leave_ = false;
};

/// Connects this rank to the others. @param listener on rank 0 the one that join() published.
/// @throws DistributedError when a rank does not connect in time.
std::shared_ptr<CoordinationAgent> open_coordination(int rank, const RendezvousInfo& info,
                                                     const Limits& limits, Listener* listener);

/// A Heartbeat as bytes, and back. @throws Error for bytes of another length.
///@{
std::string encode(const Heartbeat& heartbeat);
Heartbeat decode_heartbeat(const std::string& bytes);
///@}

}  // namespace td::distributed
