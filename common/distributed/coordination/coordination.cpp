// This rank's state, the thread that serves the connections, and what rank 0 and the others do
// there.
#include "distributed/coordination/coordination.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

namespace td::distributed {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kInterval(50);  // between two messages
// An error of the transport waits this long for the group's error, which explains it.
constexpr std::chrono::seconds kExplanation(5);

using Clock = std::chrono::steady_clock;
milliseconds elapsed(Clock::time_point since, Clock::time_point now) {
  return std::chrono::duration_cast<milliseconds>(now - since);
}
std::int64_t in_milliseconds(Clock::time_point time) { return elapsed({}, time).count(); }

}  // namespace

CoordinationAgent::CoordinationAgent(int rank, RendezvousInfo info, const Limits& limits)
    : rank_(rank),
      limits_(limits),
      info_(std::move(info)),
      reports_(rank == 0 ? info_.hosts.size() : 0),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  for (std::size_t r = 0; r < reports_.size(); ++r) reports_[r].host = info_.hosts[r];
  thread_ = std::thread([this] { run(); });
}

void CoordinationAgent::stop() {
  {
    Lock lock(mutex_);
    stopped_ = true;
    wake();
  }
  if (thread_.joinable()) thread_.join();
}

// The state has changed, so it is sent now.
void CoordinationAgent::wake() {
  next_message_ = {};
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
}

// Whether the state is to be sent, because of the time or a change.
bool CoordinationAgent::is_due(Clock::time_point now) {
  if (now < next_message_) return false;
  next_message_ = now + kInterval;
  return true;
}

Heartbeat::Call& CoordinationAgent::call_of(CollectiveType type) {
  if (type == CollectiveType::kSend) return mine_.heartbeat.send;
  return type == CollectiveType::kReceive ? mine_.heartbeat.receive : mine_.heartbeat.collective;
}

void CoordinationAgent::started(const CollectiveFingerprint& key) {
  Lock lock(mutex_);
  call_of(key.type) = {key, in_milliseconds(Clock::now())};
  if (key.sequence) mine_.heartbeat.started[key.sequence % Heartbeat::kKept] = key;
}

void CoordinationAgent::finished(const CollectiveFingerprint& key) {
  Lock lock(mutex_);
  call_of(key.type).milliseconds = -1;
  if (key.sequence) mine_.heartbeat.finished = key;
}

// This rank's state, to be sent.
RankState CoordinationAgent::state_at(Clock::time_point now) const {
  RankState state = mine_;
  Heartbeat& heartbeat = state.heartbeat;
  for (Heartbeat::Call* call : {&heartbeat.collective, &heartbeat.send, &heartbeat.receive})
    if (call->running())
      call->milliseconds = std::max<std::int64_t>(0, in_milliseconds(now) - call->milliseconds);
  return state;
}

void CoordinationAgent::failed(const std::string& why) {
  Lock lock(mutex_);
  if (!group_.failure.empty()) return;
  mine_.error = why;
  wake();
}

std::string CoordinationAgent::explain(const CollectiveFingerprint& key, const std::string& error) {
  Lock lock(mutex_);
  if (group_.failure.empty()) mine_.transport_error = describe(key) + ": " + error;
  wake();
  changed_.wait_for(lock, kExplanation, [&] { return !group_.failure.empty(); });
  return group_.failure.empty() ? describe(key) + " failed: " + error : group_.failure;
}

void CoordinationAgent::on_failure(std::function<void(const std::string&)> report) {
  Lock lock(mutex_);
  report_ = std::move(report);
  wake();
}

void CoordinationAgent::check() {
  Lock lock(mutex_);
  if (!group_.failure.empty()) throw DistributedError(group_.failure);
}

std::vector<std::string> CoordinationAgent::exchange(const std::string& mine) {
  Lock lock(mutex_);
  mine_.text = mine;
  const std::uint64_t number = ++mine_.exchanges;
  wake();
  changed_.wait_for(lock, limits_.timeout + kExplanation,
                    [&] { return group_.exchanges == number || !group_.failure.empty(); });
  // An exchange that was completed counts, also when the group fails right afterwards.
  if (group_.exchanges == number) return group_.texts;
  if (!group_.failure.empty()) throw DistributedError(group_.failure);
  fail<DistributedError>("the ranks did not all come to an exchange while joining");
}

void CoordinationAgent::leave() {
  Lock lock(mutex_);
  mine_.leaving = true;
  leaving_since_ = Clock::now();
  wake();
  // Longer than rank 0 waits for ranks that continue.
  changed_.wait_for(lock, limits_.timeout + kExplanation,
                    [&] { return group_.may_leave || !group_.failure.empty(); });
  lock.unlock();
  stop();
}

// The service's thread: works when a message has come, and at least every 50 ms.
void CoordinationAgent::run() {
  Lock lock(mutex_);
  bool reported = false;
  while (true) {
    if (rank_ == 0)
      coordinate(Clock::now());
    else
      follow(Clock::now());
    changed_.notify_all();
    if (stopped_) return;
    if (!group_.failure.empty() && !reported && report_) {
      reported = true;
      const auto report = report_;
      const std::string failure = group_.failure;
      lock.unlock();
      report(failure);  // calls back to failed()
      lock.lock();
      continue;
    }
    std::vector<pollfd> waiting = {{wake_.get(), POLLIN, 0}};
    for (const Socket& socket : info_.sockets) {
      const int events = POLLIN | (socket.wants_to_write() ? POLLOUT : 0);
      if (!socket.closed()) waiting.push_back({socket.get(), static_cast<short>(events), 0});
    }
    lock.unlock();
    ::poll(waiting.data(), waiting.size(), static_cast<int>(kInterval.count()));
    std::uint64_t wakes = 0;
    [[maybe_unused]] const auto got = ::read(wake_.get(), &wakes, sizeof wakes);
    lock.lock();
  }
}

// The ranks other than 0 send their state to rank 0 and receive the group's.
void CoordinationAgent::follow(Clock::time_point now) {
  Socket& socket = info_.sockets[0];
  const auto messages = socket.receive();
  if (!messages.empty()) last_message_ = now;
  if (group_.failure.empty() && !messages.empty()) group_ = decode<GroupState>(messages.back());
  if (!group_.failure.empty() || group_.may_leave) return;
  if (socket.closed() && mine_.leaving)
    group_.may_leave = true;
  else if (socket.closed())
    group_.failure = gone_text(0, info_.hosts[0]);
  else if (now - last_message_ > limits_.heartbeat_timeout)
    group_.failure = silent_text(0, info_.hosts[0], limits_.heartbeat_timeout);
  else if (is_due(now))
    socket.send(encode(state_at(now)));
  socket.flush();
}

// Rank 0 collects the states of all ranks, diagnoses failures, and sends the error to all ranks.
void CoordinationAgent::coordinate(Clock::time_point now) {
  take(reports_[0], state_at(now), now);
  for (std::size_t r = 1; r < reports_.size(); ++r) {
    Socket& socket = info_.sockets[r - 1];
    if (socket.closed()) continue;
    const auto messages = socket.receive();
    if (!messages.empty()) take(reports_[r], decode<RankState>(messages.back()), now);
    if (socket.closed() && reports_[r].state == RankReport::State::kHere)
      reports_[r].state = RankReport::State::kGone;
  }
  for (RankReport& report : reports_) {
    report.age = elapsed(report.last_message, now);
    report.transport_error_age = elapsed(report.transport_error_since, now);
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

void CoordinationAgent::take(RankReport& report, const RankState& state, Clock::time_point now) {
  if (report.transport_error.empty()) report.transport_error_since = now;
  static_cast<RankState&>(report) = state;
  if (state.leaving) report.state = RankReport::State::kLeft;
  report.last_message = now;
}

void CoordinationAgent::finish_exchange() {
  std::vector<std::string> texts;
  for (const RankReport& report : reports_) {
    if (report.exchanges == group_.exchanges) return;
    texts.push_back(report.text);
  }
  group_.texts = std::move(texts);
  ++group_.exchanges;
}

// A rank that has left may close its connection when all others have the data that it sent them.
void CoordinationAgent::send_to_all(bool due) {
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
  for (std::size_t r = 1; r < reports_.size(); ++r) {
    RankReport& report = reports_[r];
    const bool may_leave = report.state == RankReport::State::kLeft &&
                           (report.heartbeat.finished.sequence <= done || !group_.failure.empty());
    Socket& socket = info_.sockets[r - 1];
    const std::string& message = may_leave ? leave : stay;
    if (due || message != report.sent) socket.send(message);
    report.sent = message;
    socket.flush();
  }
}

}  // namespace td::distributed
