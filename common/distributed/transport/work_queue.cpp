// The queue and its thread.
#include "distributed/transport/work_queue.h"

#include <pthread.h>

#include <atomic>
#include <utility>

#include "td/autograd/modes.h"
#include "trace/recorder.h"

namespace td::distributed {

namespace {
std::atomic<int> queues{0};  // made so far
}  // namespace

AsyncWork::AsyncWork(Collective collective)
    : call(std::move(collective)), run_inline_(detail::runs_inline) {
  const Tensor& tensor = call.output;
  if (!tensor.defined() || tensor.device().is_cpu()) return;
  ready.emplace(tensor.device().type());
  ready->record(getCurrentStream(tensor.device()));
}

void AsyncWork::wait() {
  if (const auto queue = queue_.lock()) queue->help(*this);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_; });
  if (!error_) return;
  try {
    std::rethrow_exception(error_);
  } catch (const DistributedError& e) {
    throw DistributedError(e.what());  // each waiting thread gets its own object
  }
}

bool AsyncWork::is_completed() const {
  std::lock_guard lock(mutex_);
  return done_;
}

void AsyncWork::finish(std::exception_ptr error) {
  std::lock_guard lock(mutex_);
  if (done_) return;
  done_ = true;
  error_ = std::move(error);
  changed_.notify_all();
}

WorkQueue::WorkQueue(const char* name, Execute execute)
    : name_(name),
      execute_(std::move(execute)),
      track_(trace::add_track({trace::TrackKind::kQueue, "", queues++, name})) {}

void WorkQueue::enqueue(std::shared_ptr<AsyncWork> work) {
  std::lock_guard lock(mutex_);
  if (error_) return work->finish(error_);
  work->queue_ = weak_from_this();
  works_.push_back(std::move(work));
  if (has_work_for_thread()) wake_thread();
}

void WorkQueue::wake_thread() {
  // The thread owns the queue, so that an abandoned queue lives as long as its thread.
  if (!thread_.joinable()) thread_ = std::thread([self = shared_from_this()] { self->run(); });
  changed_.notify_one();
}

bool WorkQueue::has_work_for_thread() const {
  return !busy_ && !works_.empty() && (works_.size() > 1 || !works_.front()->run_inline_);
}

void WorkQueue::help(AsyncWork& work) {
  std::unique_lock lock(mutex_);
  // The caller sleeps after this call, so it cannot execute the work later.
  work.run_inline_ = false;
  if (!busy_ && !works_.empty() && works_.front().get() == &work) {
    const NoGradGuard no_grad;
    execute_first(lock);
    if (closed_) changed_.notify_one();
  }
  if (has_work_for_thread()) wake_thread();
}

// Executes the first work, without the lock.
void WorkQueue::execute_first(std::unique_lock<std::mutex>& lock) {
  const std::shared_ptr<AsyncWork> work = works_.front();
  busy_ = true;
  if (!error_) {
    lock.unlock();
    std::exception_ptr error;
    try {
      // On the queue's track, whichever thread executes the work.
      const auto& key = work->call.key;
      const trace::TargetSpan span({track_, 0}, collective_name(key.type),
                                   trace::Category::kCollective, key.bytes());
      execute_(*work);
    } catch (...) {
      error = std::current_exception();
    }
    work->finish(error);
    lock.lock();
  }
  works_.pop_front();
  busy_ = false;
}

void WorkQueue::fail(const std::exception_ptr& error) {
  std::lock_guard lock(mutex_);
  if (!error_) error_ = error;
  for (auto& work : works_) work->finish(error_);
}

void WorkQueue::close(bool abandon) {
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

void WorkQueue::run() {
  pthread_setname_np(pthread_self(), name_);
  const NoGradGuard no_grad;
  const auto wanted = [&] {
    return has_work_for_thread() || (closed_ && !busy_ && works_.empty());
  };
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, wanted);
    if (works_.empty()) return;
    execute_first(lock);
  }
}

}  // namespace td::distributed
