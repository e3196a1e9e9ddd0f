// This rank's own state and the watching thread.
#include "distributed/control/control.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "distributed/control/control_ends.h"
#include "distributed/work.h"

namespace td::distributed {
namespace {

constexpr std::chrono::milliseconds kBeat(50);
// An error of the data plane waits this long for the verdict that explains it.
constexpr std::chrono::seconds kExplanation(5);

}  // namespace

Control::Control(int rank, Meeting meeting, Limits limits)
    : rank_(rank),
      meeting_(std::move(meeting)),
      limits_(limits),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Control::~Control() = default;

void Control::start() {
  thread_ = std::thread([this] { run(); });
}

void Control::stop() {
  {
    Lock lock(mutex_);
    stopped_ = true;
    wake();
  }
  if (thread_.joinable()) thread_.join();
}

void Control::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
}

Status::Call& Control::call_of(CollectiveType type) {
  if (type == CollectiveType::kSend) return status_.send;
  return type == CollectiveType::kReceive ? status_.receive : status_.collective;
}

void Control::started(const CollectiveKey& key) {
  Lock lock(mutex_);
  Status::Call& call = call_of(key.type);
  call = {key, 0};
  since_[&call - &status_.collective] = Clock::now();
  if (key.sequence) status_.started[key.sequence % Status::kKept] = key;
}

void Control::finished(const CollectiveKey& key) {
  Lock lock(mutex_);
  call_of(key.type).milliseconds = -1;
  if (key.sequence) status_.finished = key;
}

Status Control::status_now(Clock::time_point now) const {
  Status status = status_;
  Status::Call* const calls[] = {&status.collective, &status.send, &status.receive};
  for (int i = 0; i < 3; ++i)
    if (calls[i]->running())
      calls[i]->milliseconds =
          std::chrono::duration_cast<std::chrono::milliseconds>(now - since_[i]).count();
  return status;
}

void Control::failed(const std::string& why) {
  Lock lock(mutex_);
  if (!failure_.empty()) return;
  error_ = why;
  wake();
}

std::string Control::explain(const CollectiveKey& key, const std::string& error) {
  Lock lock(mutex_);
  if (failure_.empty()) trouble_ = describe(key) + ": " + error;
  wake();
  changed_.wait_for(lock, kExplanation, [&] { return !failure_.empty(); });
  return failure_.empty() ? describe(key) + " failed: " + error : failure_;
}

void Control::on_failure(std::function<void(const std::string&)> tell) {
  Lock lock(mutex_);
  tell_ = std::move(tell);
  wake();
}

void Control::check() {
  Lock lock(mutex_);
  if (!failure_.empty()) throw DistributedError(failure_);
}

std::vector<std::string> Control::exchange(const std::string& mine) {
  Lock lock(mutex_);
  gift_ = mine;
  wake();
  const bool in_time = changed_.wait_for(lock, limits_.timeout + kExplanation,
                                         [&] { return !failure_.empty() || gifts_; });
  // An exchange that was completed counts, also when the group fails right afterwards.
  if (!gifts_ && !failure_.empty()) throw DistributedError(failure_);
  TD_CHECK(DistributedError, in_time, "the ranks did not all come to an exchange while joining");
  auto all = std::move(*gifts_);
  gifts_.reset();
  return all;
}

void Control::leave() {
  Lock lock(mutex_);
  leaving_ = true;
  leaving_since_ = Clock::now();
  wake();
  // Longer than rank 0 waits for ranks that go on.
  changed_.wait_for(lock, limits_.timeout + kExplanation,
                    [&] { return may_go_ || !failure_.empty(); });
  lock.unlock();
  stop();
}

bool Control::time_for_a_beat(Clock::time_point now) {
  if (now < next_beat_) return false;
  next_beat_ = now + kBeat;
  return true;
}

void Control::run() {
  Lock lock(mutex_);
  std::string told;
  while (true) {
    step(Clock::now());
    changed_.notify_all();
    if (stopped_) return;
    if (!failure_.empty() && told.empty() && tell_) {
      told = failure_;
      const auto tell = tell_;
      lock.unlock();
      tell(told);  // calls back to failed()
      lock.lock();
      continue;
    }
    std::vector<pollfd> waits = {{wake_.get(), POLLIN, 0}};
    for (const Socket* socket : sockets())
      waits.push_back({socket->get(),
                       static_cast<short>(POLLIN | (socket->wants_to_write() ? POLLOUT : 0)), 0});
    lock.unlock();
    ::poll(waits.data(), waits.size(), static_cast<int>(kBeat.count()));
    std::uint64_t count = 0;
    [[maybe_unused]] const auto read = ::read(wake_.get(), &count, sizeof count);
    lock.lock();
  }
}

std::shared_ptr<Control> open_control(int rank, const Meeting& meeting, const Limits& limits,
                                      Listener* listener) {
  if (rank == 0) return std::make_shared<ControlCenter>(meeting, limits, *listener);
  return std::make_shared<ControlMember>(rank, meeting, limits);
}

}  // namespace td::distributed
