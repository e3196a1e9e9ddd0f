// The queue and its thread.
#include "distributed/planes/lane.h"

#include <pthread.h>

#include <atomic>
#include <utility>

#include "td/autograd/modes.h"
#include "td/base/span.h"

namespace td::distributed {

namespace {
thread_local bool waits_at_once = false;

std::uint32_t add_lane_row(const char* name) {
  static std::atomic<int> lanes{0};
  return trace::add_track({trace::TrackKind::kQueue, "", lanes++, name});
}
}  // namespace

WaitsAtOnce::WaitsAtOnce() : before_(std::exchange(waits_at_once, true)) {}
WaitsAtOnce::~WaitsAtOnce() { waits_at_once = before_; }

HostWork::HostWork(Collective collective) : call(std::move(collective)), at_once_(waits_at_once) {
  const Tensor& tensor = call.output;
  if (!tensor.defined() || tensor.device().is_cpu()) return;
  ready.emplace(tensor.device().type());
  ready->record(getCurrentStream(tensor.device()));
}

void HostWork::wait() {
  if (const auto lane = lane_.lock()) lane->help(*this);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_; });
  if (!error_) return;
  try {
    std::rethrow_exception(error_);
  } catch (const DistributedError& e) {
    throw DistributedError(e.what());  // each thread that waits has an object of its own
  }
}

bool HostWork::is_completed() const {
  std::lock_guard lock(mutex_);
  return done_;
}

void HostWork::finish(std::exception_ptr error) {
  std::lock_guard lock(mutex_);
  if (done_) return;
  done_ = true;
  error_ = std::move(error);
  changed_.notify_all();
}

Lane::Lane(const char* name, std::function<void(HostWork&)> carry_out)
    : name_(name), row_(add_lane_row(name)), carry_out_(std::move(carry_out)) {}

void Lane::add(std::shared_ptr<HostWork> work) {
  std::lock_guard lock(mutex_);
  if (error_) return work->finish(error_);
  work->lane_ = weak_from_this();
  works_.push_back(std::move(work));
  wake_thread();
}

void Lane::wake_thread() {
  if (!has_work_for_thread()) return;
  // The thread holds the lane, so that a lane that was abandoned lives as long as its thread.
  if (!thread_.joinable()) thread_ = std::thread([self = shared_from_this()] { self->run(); });
  changed_.notify_one();
}

bool Lane::has_work_for_thread() const {
  return !busy_ && !works_.empty() && (works_.size() > 1 || !works_.front()->at_once_);
}

void Lane::help(HostWork& work) {
  std::unique_lock lock(mutex_);
  // From here on the caller sleeps: work that it cannot do now must not be left to it.
  work.at_once_ = false;
  if (busy_ || works_.empty() || works_.front().get() != &work) return wake_thread();
  const NoGradGuard no_grad;
  do_first(lock);
  wake_thread();
  if (closed_) changed_.notify_one();
}

// Carries out the first work, without the lock.
void Lane::do_first(std::unique_lock<std::mutex>& lock) {
  const std::shared_ptr<HostWork> work = works_.front();
  busy_ = true;
  if (!error_) {
    lock.unlock();
    std::exception_ptr error;
    try {
      // In the row of the lane, whichever thread does the work.
      const auto& key = work->call.key;
      const trace::Span span({row_, 0}, collective_name(key.type), trace::Category::kCollective,
                             key.bytes());
      carry_out_(*work);
    } catch (...) {
      error = std::current_exception();
    }
    work->finish(error);
    lock.lock();
  }
  works_.pop_front();
  busy_ = false;
}

void Lane::fail(const std::exception_ptr& error) {
  std::lock_guard lock(mutex_);
  if (!error_) error_ = error;
  for (auto& work : works_) work->finish(error_);
}

void Lane::close(bool abandon) {
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_one();
  }
  if (!thread_.joinable()) return;
  if (abandon)
    thread_.detach();
  else
    thread_.join();
}

void Lane::run() {
  pthread_setname_np(pthread_self(), name_);
  const NoGradGuard no_grad;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock,
                  [&] { return has_work_for_thread() || (closed_ && !busy_ && works_.empty()); });
    if (works_.empty()) return;
    do_first(lock);
  }
}

}  // namespace td::distributed
