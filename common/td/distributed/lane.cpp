// The queue and its thread.
#include "td/distributed/lane.h"

#include "td/autograd/modes.h"

namespace td::distributed {

HostWork::HostWork(Collective collective) : call(std::move(collective)) {
  const Tensor& tensor = call.output;
  if (!tensor.defined() || tensor.device().is_cpu()) return;
  ready.emplace(tensor.device().type());
  ready->record(getCurrentStream(tensor.device()));
}

void HostWork::wait() {
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

void Lane::add(std::shared_ptr<HostWork> work) {
  std::lock_guard lock(mutex_);
  if (error_) return work->finish(error_);
  works_.push_back(std::move(work));
  // The thread holds the lane, so that a lane that was abandoned lives as long as its thread.
  if (!thread_.joinable()) thread_ = std::thread([self = shared_from_this()] { self->run(); });
  changed_.notify_one();
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
  NoGradGuard no_grad;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return closed_ || !works_.empty(); });
    if (works_.empty()) return;
    const std::shared_ptr<HostWork> work = works_.front();
    if (!error_) {
      lock.unlock();
      std::exception_ptr error;
      try {
        carry_out_(*work);
      } catch (...) {
        error = std::current_exception();
      }
      work->finish(error);
      lock.lock();
    }
    works_.pop_front();
  }
}

}  // namespace td::distributed
