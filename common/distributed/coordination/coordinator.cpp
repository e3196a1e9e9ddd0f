// Rank 0 on the coordination service.
#include <algorithm>

#include "distributed/coordination/coordination.h"

namespace td::distributed {
namespace {

using std::chrono::milliseconds;

milliseconds since(std::chrono::steady_clock::time_point then,
                   std::chrono::steady_clock::time_point now) {
  return std::chrono::duration_cast<milliseconds>(now - then);
}

/// Rank 0: collects the states of all ranks, diagnoses failures, and sends the error to all ranks.
class Coordinator final : public CoordinationAgent {
 public:
  Coordinator(RendezvousInfo info, const Limits& limits)
      : CoordinationAgent(std::move(info), limits),
        peers_(info_.hosts.size()),
        reports_(peers_.size()) {
    for (std::size_t r = 0; r < peers_.size(); ++r) reports_[r].host = info_.hosts[r];
    start();
  }
  ~Coordinator() override { stop(); }

 private:
  struct Peer {
    Clock::time_point last_message = Clock::now(), transport_error_since;
    std::string sent;  // the last message to it
  };

  void step(Clock::time_point now) override {
    take(0, state_at(now), now);
    for (std::size_t r = 1; r < peers_.size(); ++r) {
      Socket& socket = info_.sockets[r - 1];
      if (socket.closed()) continue;
      const auto messages = socket.receive();
      if (!messages.empty()) take(r, decode<RankState>(messages.back()), now);
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
      Socket& socket = info_.sockets[r - 1];
      const std::string& message = may_leave ? leave : stay;
      if (due || message != peers_[r].sent) socket.send(message);
      peers_[r].sent = message;
      socket.flush();
    }
  }

  std::vector<Peer> peers_;  // peers_[0] is this rank
  std::vector<RankReport> reports_;
};

}  // namespace

std::shared_ptr<CoordinationAgent> make_coordinator(RendezvousInfo info, const Limits& limits) {
  return std::make_shared<Coordinator>(std::move(info), limits);
}

}  // namespace td::distributed
