// Rank 0 on the coordination service.
#include <poll.h>

#include <algorithm>
#include <optional>

#include "distributed/coordination/coordination.h"

namespace td::distributed {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kHandshake(2000), kPause(10);

milliseconds since(std::chrono::steady_clock::time_point then,
                   std::chrono::steady_clock::time_point now) {
  return std::chrono::duration_cast<milliseconds>(now - then);
}

/// Rank 0: collects the states of all ranks, diagnoses failures, and sends the error to all ranks.
class Coordinator final : public CoordinationAgent {
 public:
  Coordinator(const RendezvousInfo& info, const Limits& limits, Listener& listener)
      : CoordinationAgent(0, info, limits), peers_(info.members.size()), reports_(peers_.size()) {
    for (std::size_t r = 0; r < peers_.size(); ++r) reports_[r].member = info.members[r];
    wait_for_all(listener);
    start();
  }
  ~Coordinator() override { stop(); }

 private:
  struct Peer {
    std::optional<Socket> socket;
    Clock::time_point last_message, transport_error_since;
    std::string sent;  // the last message to it
  };

  void wait_for_all(Listener& listener) {
    const auto end = Clock::now() + limits_.timeout;
    std::size_t connected = 1;
    while (connected < peers_.size() && Clock::now() < end) {
      // A stranger that connects and sends nothing delays the ranks only briefly.
      if (Descriptor connection = listener.accept())
        connected += accept(std::move(connection), std::min(end, Clock::now() + kHandshake));
      else
        wait_for_event(listener.get(), POLLIN, kPause);
    }
    for (std::size_t r = 1; r < peers_.size(); ++r)
      TD_CHECK(DistributedError, peers_[r].socket,
               describe(static_cast<int>(r), reports_[r].member),
               " did not connect to rank 0 within ", in_words(limits_.timeout),
               ". TD_INTERFACE names the network interface to use");
  }

  // True when a rank of this run has connected. Other connections are closed.
  bool accept(Descriptor connection, Clock::time_point end) {
    Socket socket(std::move(connection));
    std::vector<std::string> messages;
    while (messages.empty() && !socket.closed() && Clock::now() < end) {
      wait_for_event(socket.get(), POLLIN, kPause);
      messages = socket.receive();
    }
    if (messages.empty()) return false;
    const auto parts = split_texts(messages[0]);
    if (parts.size() != 2 || parts[0] != info_.run) return false;
    const auto rank = static_cast<std::size_t>(std::stoi(parts[1]));
    if (rank == 0 || rank >= peers_.size() || peers_[rank].socket) return false;
    peers_[rank].socket = std::move(socket);
    take(rank, messages.size() > 1 ? decode_rank_state(messages.back()) : RankState{},
         Clock::now());
    return true;
  }

  std::vector<Socket*> sockets() override {
    std::vector<Socket*> open;
    for (Peer& peer : peers_)
      if (peer.socket && !peer.socket->closed()) open.push_back(&*peer.socket);
    return open;
  }

  void step(Clock::time_point now) override {
    take(0, state_at(now), now);
    for (std::size_t r = 1; r < peers_.size(); ++r) {
      Socket& socket = *peers_[r].socket;
      if (socket.closed()) continue;
      const auto messages = socket.receive();
      if (!messages.empty()) take(r, decode_rank_state(messages.back()), now);
      if (socket.closed() && reports_[r].state == RankReport::State::kHere)
        reports_[r].state = RankReport::State::kGone;
    }
    for (std::size_t r = 0; r < peers_.size(); ++r) {
      reports_[r].age = since(peers_[r].last_message, now);
      reports_[r].transport_error_age = since(peers_[r].transport_error_since, now);
    }
    if (group_.failure.empty()) group_.failure = diagnose_failure(reports_, limits_);
    finish_exchange();
    const auto has_left = [](const RankReport& r) { return r.state != RankReport::State::kHere; };
    const bool all_left = std::all_of(reports_.begin(), reports_.end(), has_left);
    send_to_all(is_due(now));
    // Rank 0 leaves last, or when the others continue for longer than a call may take.
    if (mine_.leaving && (all_left || now - leaving_since_ > limits_.timeout))
      group_.may_leave = true;
  }

  void take(std::size_t rank, const RankState& state, Clock::time_point now) {
    RankReport& report = reports_[rank];
    if (report.transport_error.empty()) peers_[rank].transport_error_since = now;
    static_cast<RankState&>(report) = state;
    if (state.leaving) report.state = RankReport::State::kLeft;
    peers_[rank].last_message = now;
  }

  void finish_exchange() {
    std::vector<std::string> texts;
    for (const RankReport& report : reports_) {
      if (report.exchanges == group_.exchanges) return;
      texts.push_back(report.text);
    }
    group_.texts = std::move(texts);
    ++group_.exchanges;
  }

  // A rank that has left may close its connection when all others have the data that it sent them.
  void send_to_all(bool due) {
    std::uint64_t done = UINT64_MAX;
    for (const RankReport& report : reports_)
      if (report.state != RankReport::State::kGone)
        done = std::min(done, report.heartbeat.finished.sequence);
    const auto message_if = [&](bool may_leave) {
      GroupState state = group_;
      state.may_leave = may_leave;
      return encode(state);
    };
    const std::string stay = message_if(false), leave = message_if(true);
    for (std::size_t r = 1; r < peers_.size(); ++r) {
      const RankReport& report = reports_[r];
      const bool may_leave =
          report.state == RankReport::State::kLeft &&
          (report.heartbeat.finished.sequence <= done || !group_.failure.empty());
      Peer& peer = peers_[r];
      const std::string& message = may_leave ? leave : stay;
      if (due || message != peer.sent) peer.socket->send(message);
      peer.sent = message;
      peer.socket->flush();
    }
  }

  std::vector<Peer> peers_;  // peers_[0] is this rank, without a socket
  std::vector<RankReport> reports_;
};

}  // namespace

std::shared_ptr<CoordinationAgent> make_coordinator(const RendezvousInfo& info,
                                                    const Limits& limits, Listener& listener) {
  return std::make_shared<Coordinator>(info, limits, listener);
}

}  // namespace td::distributed
