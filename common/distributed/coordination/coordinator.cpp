// Rank 0 on the coordination service.
#include <poll.h>

#include <algorithm>
#include <thread>

#include "distributed/coordination/coordination.h"

namespace td::distributed {

namespace {
constexpr std::chrono::seconds kHandshake(2);
}  // namespace

Coordinator::Coordinator(const RendezvousInfo& info, const Limits& limits, Listener& listener)
    : CoordinationAgent(0, info, limits), peers_(info.members.size()) {
  for (std::size_t r = 0; r < peers_.size(); ++r) peers_[r].report.member = info.members[r];
  wait_for_all(listener);
  start();
}

void Coordinator::wait_for_all(Listener& listener) {
  const auto end = Clock::now() + limits_.timeout;
  std::size_t connected = 1;
  while (connected < peers_.size()) {
    // A stranger that connects and sends nothing delays the ranks only briefly.
    if (auto connection = listener.accept())
      connected += accept(std::move(*connection), std::min(end, Clock::now() + kHandshake));
    if (Clock::now() > end) break;
    pollfd waiting{listener.get(), POLLIN, 0};
    ::poll(&waiting, 1, 10);
  }
  for (std::size_t r = 1; r < peers_.size(); ++r)
    TD_CHECK(DistributedError, peers_[r].socket,
             describe(static_cast<int>(r), peers_[r].report.member),
             " did not connect to rank 0 within ", in_words(limits_.timeout),
             ". TD_INTERFACE names the network interface to use");
}

// True when a rank of this run has connected. Other connections are closed.
bool Coordinator::accept(Descriptor connection, Clock::time_point end) {
  Socket socket(std::move(connection));
  std::vector<Message> messages;
  while (messages.empty() && !socket.closed() && Clock::now() < end) {
    pollfd waiting{socket.get(), POLLIN, 0};
    ::poll(&waiting, 1, 10);
    messages = socket.receive();
  }
  if (messages.empty() || messages[0].kind != kHello) return false;
  const auto parts = split_texts(messages[0].body);
  if (parts.size() != 2 || parts[0] != info_.run) return false;
  const auto rank = static_cast<std::size_t>(std::stoi(parts[1]));
  if (rank == 0 || rank >= peers_.size() || peers_[rank].socket) return false;
  Peer& peer = peers_[rank];
  peer.socket = std::move(socket);
  peer.last_message = Clock::now();
  for (std::size_t i = 1; i < messages.size(); ++i) handle(peer, messages[i], peer.last_message);
  return true;
}

std::vector<Socket*> Coordinator::sockets() {
  std::vector<Socket*> open;
  for (Peer& peer : peers_)
    if (peer.socket && !peer.socket->closed()) open.push_back(&*peer.socket);
  return open;
}

void Coordinator::handle(Peer& peer, const Message& message, Clock::time_point now) {
  switch (static_cast<Kind>(message.kind)) {
    case kLeft:
      peer.report.state = RankReport::State::kLeft;
      [[fallthrough]];
    case kHeartbeat:
      peer.report.heartbeat = decode_heartbeat(message.body);
      break;
    case kFailed:
      peer.report.error = message.body;
      break;
    case kTransportError:
      peer.report.transport_error = message.body;
      peer.transport_error_since = now;
      break;
    case kAllGatherInput:
      peer.allgather_input = message.body;
      break;
    default:
      break;
  }
  peer.last_message = now;
}

// The other ranks send their state; this rank reads its own.
void Coordinator::report_self(Clock::time_point now) {
  Peer& self = peers_[0];
  self.report.heartbeat = heartbeat_now(now);
  self.report.error = error_;
  if (self.report.transport_error.empty()) self.transport_error_since = now;
  self.report.transport_error = transport_error_;
  if (leaving_) self.report.state = RankReport::State::kLeft;
  self.last_message = now;
  if (allgather_input_) self.allgather_input = std::exchange(allgather_input_, std::nullopt);
}

void Coordinator::send_to_all(Kind kind, const std::string& body) {
  for (Socket* socket : sockets()) socket->send({kind, body});
}

void Coordinator::finish_allgather() {
  std::vector<std::string> result;
  for (const Peer& peer : peers_) {
    if (!peer.allgather_input) return;
    result.push_back(*peer.allgather_input);
  }
  for (Peer& peer : peers_) peer.allgather_input.reset();
  send_to_all(kAllGatherResult, join_texts(result));
  allgather_result_ = std::move(result);
}

void Coordinator::find_failure(Clock::time_point now) {
  if (!failure_.empty()) return;
  std::vector<RankReport> reports;
  const auto since = [&](Clock::time_point then) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(now - then);
  };
  for (Peer& peer : peers_) {
    reports.push_back(peer.report);
    reports.back().age = since(peer.last_message);
    reports.back().transport_error_age = since(peer.transport_error_since);
  }
  failure_ = diagnose_failure(reports, limits_);
  if (!failure_.empty()) send_to_all(kGroupError, failure_);
}

// A rank that has left may close its connection when all others have the data that it sent them.
// Rank 0 leaves last, or when the others continue for longer than a call may take.
void Coordinator::acknowledge_shutdown(Clock::time_point now) {
  std::uint64_t done = UINT64_MAX;
  bool all_left = true;
  for (const Peer& peer : peers_) {
    if (peer.report.state == RankReport::State::kHere) all_left = false;
    if (peer.report.state != RankReport::State::kGone)
      done = std::min(done, peer.report.heartbeat.finished.sequence);
  }
  for (Peer& peer : peers_) {
    if (peer.report.state != RankReport::State::kLeft || !peer.socket || peer.acknowledged)
      continue;
    if (peer.report.heartbeat.finished.sequence > done && failure_.empty()) continue;
    peer.socket->send({kShutdownAck, ""});
    peer.acknowledged = true;
  }
  if (leaving_ && (all_left || now - leaving_since_ > limits_.timeout)) may_leave_ = true;
}

void Coordinator::step(Clock::time_point now) {
  report_self(now);
  for (Peer& peer : peers_) {
    if (!peer.socket || peer.socket->closed()) continue;
    for (const Message& message : peer.socket->receive()) handle(peer, message, now);
    if (peer.socket->closed() && peer.report.state == RankReport::State::kHere)
      peer.report.state = RankReport::State::kGone;
    peer.socket->flush();
  }
  find_failure(now);
  finish_allgather();
  acknowledge_shutdown(now);
  if (heartbeat_due(now)) send_to_all(kHeartbeat, "");
}

}  // namespace td::distributed
