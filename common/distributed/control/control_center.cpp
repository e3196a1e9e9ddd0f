// Rank 0 on the control plane.
#include <poll.h>

#include <algorithm>
#include <thread>

#include "distributed/control/control_ends.h"
#include "distributed/mismatch.h"
#include "distributed/rendezvous/text_list.h"
#include "distributed/work.h"

namespace td::distributed {

namespace {
constexpr std::chrono::seconds kGreeting(2);
}  // namespace

ControlCenter::ControlCenter(const Meeting& meeting, const Limits& limits, Listener& listener)
    : Control(0, meeting, limits), peers_(meeting.members.size()) {
  for (std::size_t r = 0; r < peers_.size(); ++r) peers_[r].report.member = meeting.members[r];
  wait_for_all(listener);
  start();
}

void ControlCenter::wait_for_all(Listener& listener) {
  const auto end = Clock::now() + limits_.timeout;
  std::size_t connected = 1;
  while (connected < peers_.size()) {
    // Whoever calls and says nothing holds up nobody for long.
    if (auto connection = listener.accept())
      connected += greet(std::move(*connection), std::min(end, Clock::now() + kGreeting));
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

// True when a rank of this run has called. A stranger's call is ended.
bool ControlCenter::greet(Descriptor connection, Clock::time_point end) {
  Socket socket(std::move(connection));
  std::vector<Message> messages;
  while (messages.empty() && !socket.closed() && Clock::now() < end) {
    pollfd waiting{socket.get(), POLLIN, 0};
    ::poll(&waiting, 1, 10);
    messages = socket.receive();
  }
  if (messages.empty() || messages[0].kind != kHello) return false;
  const auto parts = split_texts(messages[0].body);
  if (parts.size() != 2 || parts[0] != meeting_.run) return false;
  const auto rank = static_cast<std::size_t>(std::stoi(parts[1]));
  if (rank == 0 || rank >= peers_.size() || peers_[rank].socket) return false;
  Peer& peer = peers_[rank];
  peer.socket = std::move(socket);
  peer.heard = Clock::now();
  for (std::size_t i = 1; i < messages.size(); ++i) hear(peer, messages[i], peer.heard);
  return true;
}

std::vector<Socket*> ControlCenter::sockets() {
  std::vector<Socket*> open;
  for (Peer& peer : peers_)
    if (peer.socket && !peer.socket->closed()) open.push_back(&*peer.socket);
  return open;
}

void ControlCenter::hear(Peer& peer, const Message& message, Clock::time_point now) {
  switch (static_cast<Kind>(message.kind)) {
    case kLeft:
      peer.report.state = Report::State::kLeft;
      [[fallthrough]];
    case kStatus:
      peer.report.status = decode_status(message.body);
      break;
    case kFailed:
      peer.report.error = message.body;
      break;
    case kTrouble:
      peer.report.trouble = message.body;
      peer.trouble_since = now;
      break;
    case kGive:
      peer.gift = message.body;
      break;
    default:
      break;
  }
  peer.heard = now;
}

// What the others send, this rank has at hand.
void ControlCenter::report_self(Clock::time_point now) {
  Peer& self = peers_[0];
  self.report.status = status_now(now);
  self.report.error = error_;
  if (self.report.trouble.empty()) self.trouble_since = now;
  self.report.trouble = trouble_;
  if (leaving_) self.report.state = Report::State::kLeft;
  self.heard = now;
  if (gift_) self.gift = std::exchange(gift_, std::nullopt);
}

void ControlCenter::tell_all(Kind kind, const std::string& body) {
  for (Socket* socket : sockets()) socket->send({kind, body});
}

void ControlCenter::hand_out_gifts() {
  std::vector<std::string> gifts;
  for (const Peer& peer : peers_) {
    if (!peer.gift) return;
    gifts.push_back(*peer.gift);
  }
  for (Peer& peer : peers_) peer.gift.reset();
  tell_all(kAll, join_texts(gifts));
  gifts_ = std::move(gifts);
}

void ControlCenter::decide(Clock::time_point now) {
  if (!failure_.empty()) return;
  std::vector<Report> reports;
  const auto since = [&](Clock::time_point then) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(now - then);
  };
  for (Peer& peer : peers_) {
    reports.push_back(peer.report);
    reports.back().age = since(peer.heard);
    reports.back().trouble_age = since(peer.trouble_since);
  }
  failure_ = judge(reports, limits_);
  if (!failure_.empty()) tell_all(kVerdict, failure_);
}

// A rank that has left may close its connections when all others have what it sent them. Rank 0
// itself goes last, or when the others go on for longer than a call may take.
void ControlCenter::dismiss(Clock::time_point now) {
  std::uint64_t done = UINT64_MAX;
  bool all_left = true;
  for (const Peer& peer : peers_) {
    if (peer.report.state == Report::State::kHere) all_left = false;
    if (peer.report.state != Report::State::kGone)
      done = std::min(done, peer.report.status.finished.sequence);
  }
  for (Peer& peer : peers_) {
    if (peer.report.state != Report::State::kLeft || !peer.socket || peer.dismissed) continue;
    if (peer.report.status.finished.sequence > done && failure_.empty()) continue;
    peer.socket->send({kBye, ""});
    peer.dismissed = true;
  }
  if (leaving_ && (all_left || now - leaving_since_ > limits_.timeout)) may_go_ = true;
}

void ControlCenter::step(Clock::time_point now) {
  report_self(now);
  for (Peer& peer : peers_) {
    if (!peer.socket || peer.socket->closed()) continue;
    for (const Message& message : peer.socket->receive()) hear(peer, message, now);
    if (peer.socket->closed() && peer.report.state == Report::State::kHere)
      peer.report.state = Report::State::kGone;
    peer.socket->flush();
  }
  decide(now);
  hand_out_gifts();
  dismiss(now);
  if (time_for_a_beat(now)) tell_all(kStatus, "");
}

}  // namespace td::distributed
