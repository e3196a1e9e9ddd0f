// This rank's state, the thread that serves the connections, and the ranks other than 0.
#include "distributed/coordination/coordination.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstring>

namespace td::distributed {
namespace {

constexpr std::chrono::milliseconds kHeartbeatInterval(50);
// An error of the transport waits this long for the group's error, which explains it.
constexpr std::chrono::seconds kExplanation(5);

}  // namespace

CoordinationAgent::CoordinationAgent(int rank, RendezvousInfo info, Limits limits)
    : rank_(rank),
      info_(std::move(info)),
      limits_(limits),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

CoordinationAgent::~CoordinationAgent() = default;

void CoordinationAgent::start() {
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

void CoordinationAgent::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
}

Heartbeat::Call& CoordinationAgent::call_of(CollectiveType type) {
  if (type == CollectiveType::kSend) return heartbeat_.send;
  return type == CollectiveType::kReceive ? heartbeat_.receive : heartbeat_.collective;
}

void CoordinationAgent::started(const CollectiveFingerprint& key) {
  Lock lock(mutex_);
  Heartbeat::Call& call = call_of(key.type);
  call = {key, 0};
  since_[&call - &heartbeat_.collective] = Clock::now();
  if (key.sequence) heartbeat_.started[key.sequence % Heartbeat::kKept] = key;
}

void CoordinationAgent::finished(const CollectiveFingerprint& key) {
  Lock lock(mutex_);
  call_of(key.type).milliseconds = -1;
  if (key.sequence) heartbeat_.finished = key;
}

Heartbeat CoordinationAgent::heartbeat_now(Clock::time_point now) const {
  Heartbeat heartbeat = heartbeat_;
  Heartbeat::Call* const calls[] = {&heartbeat.collective, &heartbeat.send, &heartbeat.receive};
  for (int i = 0; i < 3; ++i)
    if (calls[i]->running())
      calls[i]->milliseconds =
          std::chrono::duration_cast<std::chrono::milliseconds>(now - since_[i]).count();
  return heartbeat;
}

void CoordinationAgent::failed(const std::string& why) {
  Lock lock(mutex_);
  if (!failure_.empty()) return;
  error_ = why;
  wake();
}

std::string CoordinationAgent::explain(const CollectiveFingerprint& key, const std::string& error) {
  Lock lock(mutex_);
  if (failure_.empty()) transport_error_ = describe(key) + ": " + error;
  wake();
  changed_.wait_for(lock, kExplanation, [&] { return !failure_.empty(); });
  return failure_.empty() ? describe(key) + " failed: " + error : failure_;
}

void CoordinationAgent::on_failure(std::function<void(const std::string&)> report) {
  Lock lock(mutex_);
  report_ = std::move(report);
  wake();
}

void CoordinationAgent::check() {
  Lock lock(mutex_);
  if (!failure_.empty()) throw DistributedError(failure_);
}

std::vector<std::string> CoordinationAgent::exchange(const std::string& mine) {
  Lock lock(mutex_);
  allgather_input_ = mine;
  wake();
  const bool in_time = changed_.wait_for(lock, limits_.timeout + kExplanation,
                                         [&] { return !failure_.empty() || allgather_result_; });
  // An exchange that was completed counts, also when the group fails right afterwards.
  if (!allgather_result_ && !failure_.empty()) throw DistributedError(failure_);
  TD_CHECK(DistributedError, in_time, "the ranks did not all come to an exchange while joining");
  auto all = std::move(*allgather_result_);
  allgather_result_.reset();
  return all;
}

void CoordinationAgent::leave() {
  Lock lock(mutex_);
  leaving_ = true;
  leaving_since_ = Clock::now();
  wake();
  // Longer than rank 0 waits for ranks that go on.
  changed_.wait_for(lock, limits_.timeout + kExplanation,
                    [&] { return may_leave_ || !failure_.empty(); });
  lock.unlock();
  stop();
}

bool CoordinationAgent::heartbeat_due(Clock::time_point now) {
  if (now < next_heartbeat_) return false;
  next_heartbeat_ = now + kHeartbeatInterval;
  return true;
}

void CoordinationAgent::run() {
  Lock lock(mutex_);
  std::string reported;
  while (true) {
    step(Clock::now());
    changed_.notify_all();
    if (stopped_) return;
    if (!failure_.empty() && reported.empty() && report_) {
      reported = failure_;
      const auto report = report_;
      lock.unlock();
      report(reported);  // calls back to failed()
      lock.lock();
      continue;
    }
    std::vector<pollfd> waits = {{wake_.get(), POLLIN, 0}};
    for (const Socket* socket : sockets())
      waits.push_back({socket->get(),
                       static_cast<short>(POLLIN | (socket->wants_to_write() ? POLLOUT : 0)), 0});
    lock.unlock();
    ::poll(waits.data(), waits.size(), static_cast<int>(kHeartbeatInterval.count()));
    std::uint64_t count = 0;
    [[maybe_unused]] const auto read = ::read(wake_.get(), &count, sizeof count);
    lock.lock();
  }
}

std::shared_ptr<CoordinationAgent> open_coordination(int rank, const RendezvousInfo& info,
                                                     const Limits& limits, Listener* listener) {
  if (rank == 0) return std::make_shared<Coordinator>(info, limits, *listener);
  return std::make_shared<CoordinationClient>(rank, info, limits);
}

// ---- ranks other than 0 ----

std::string encode(const Heartbeat& heartbeat) {
  return {reinterpret_cast<const char*>(&heartbeat), sizeof heartbeat};
}

Heartbeat decode_heartbeat(const std::string& bytes) {
  Heartbeat heartbeat;
  TD_CHECK(Error, bytes.size() == sizeof heartbeat,
           "a rank tells its state in a form that this program does not know: do all ranks run the "
           "same version?");
  std::memcpy(static_cast<void*>(&heartbeat), bytes.data(), sizeof heartbeat);
  return heartbeat;
}

namespace {

Socket connect_to_coordinator(int rank, const RendezvousInfo& info, const Limits& limits) {
  try {
    return Socket::connect(info.control, limits.timeout);
  } catch (const Error& e) {
    fail<DistributedError>(describe(rank, info.members[rank]), " cannot reach ",
                           describe(0, info.members[0]), ": ", e.what(),
                           ". TD_INTERFACE names the network interface to use");
  }
}

}  // namespace

CoordinationClient::CoordinationClient(int rank, const RendezvousInfo& info, const Limits& limits)
    : CoordinationAgent(rank, info, limits),
      socket_(connect_to_coordinator(rank, info, limits)),
      last_message_(Clock::now()) {
  socket_.send({kHello, join_texts({info.run, std::to_string(rank)})});
  start();
}

void CoordinationClient::handle(const Message& message) {
  switch (static_cast<Kind>(message.kind)) {
    case kGroupError:
      if (failure_.empty()) failure_ = message.body;
      break;
    case kAllGatherResult:
      allgather_result_ = split_texts(message.body);
      break;
    case kShutdownAck:
      may_leave_ = true;
      break;
    default:
      break;  // a sign of life
  }
}

void CoordinationClient::send_state(Clock::time_point now) {
  if (!error_.empty() && !std::exchange(sent_error_, true)) socket_.send({kFailed, error_});
  if (!transport_error_.empty() && !std::exchange(sent_transport_error_, true))
    socket_.send({kTransportError, transport_error_});
  if (allgather_input_) {
    socket_.send({kAllGatherInput, *allgather_input_});
    allgather_input_.reset();
  }
  if (leaving_ && !std::exchange(sent_leave_, true))
    socket_.send({kLeft, encode(heartbeat_now(now))});
  else if (!leaving_ && heartbeat_due(now))
    socket_.send({kHeartbeat, encode(heartbeat_now(now))});
  socket_.flush();
}

std::vector<Socket*> CoordinationClient::sockets() {
  if (socket_.closed()) return {};
  return {&socket_};
}

void CoordinationClient::step(Clock::time_point now) {
  const auto messages = socket_.receive();
  if (!messages.empty()) last_message_ = now;
  for (const Message& message : messages) handle(message);
  if (!failure_.empty() || may_leave_) return;
  if (socket_.closed()) {
    if (leaving_)
      may_leave_ = true;
    else
      failure_ = gone_text(0, info_.members[0]);
    return;
  }
  if (now - last_message_ > limits_.heartbeat_timeout)
    failure_ = silent_text(0, info_.members[0], limits_.heartbeat_timeout);
  send_state(now);
}

}  // namespace td::distributed
