// The threads behind a loader: a queue of index lists in, a queue of batches out. Jobs are
// numbered; with ordering, batch n is given out only after batch n - 1. The consumer is one thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "td/tensor/options.h"
#include "td/base/span.h"

namespace td::data {

/// What a worker thread must set up before it loads: one core each, as there are many of them, and
/// its name. @param number among the loader's workers.
void prepare_worker_thread(std::size_t number);
/// @throws Error: no batch came within `waited`.
[[noreturn]] void worker_timeout(std::chrono::milliseconds waited);

/// Loads batches on worker threads and hands them out in order.
template <class Batch>
class Pipeline {
 public:
  using Indices = std::vector<std::size_t>;
  using Load = std::function<Batch(const Indices&)>;

  /// @param make_load called once in each worker, for the function it loads with.
  Pipeline(std::size_t workers, bool ordered, std::function<Load()> make_load)
      : ordered_(ordered), make_load_(std::move(make_load)) {
    try {
      for (std::size_t i = 0; i < workers; ++i) threads_.emplace_back([this, i] { work(i); });
    } catch (...) {  // the system gave no more threads: those we have must end before we do
      stop();
      throw;
    }
  }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;
  ~Pipeline() { stop(); }

  /// Queues one more batch.
  void submit(Indices indices) {
    {
      std::lock_guard lock(mutex_);
      jobs_.push_back({submitted_++, std::move(indices)});
    }
    job_came_.notify_one();
  }

  /// Forgets all jobs; results of jobs in work are dropped when they come.
  void clear() {
    std::lock_guard lock(mutex_);
    jobs_.clear();
    results_.clear();
    epoch_start_ = given_ = submitted_;
  }

  /// The next batch; nullopt when all that was submitted was given out. An exception of the worker
  /// is thrown here.
  optional<Batch> next(optional<std::chrono::milliseconds> timeout) {
    std::unique_lock lock(mutex_);
    if (given_ == submitted_) return nullopt;
    const trace::Span span("wait for batch", trace::Category::kWait);
    const auto ready = [this] {
      return !results_.empty() && (!ordered_ || results_.begin()->first == given_);
    };
    if (!timeout)
      result_came_.wait(lock, ready);
    else if (!result_came_.wait_for(lock, *timeout, ready))
      worker_timeout(*timeout);
    auto node = results_.extract(results_.begin());
    ++given_;
    lock.unlock();
    if (node.mapped().error) std::rethrow_exception(node.mapped().error);
    return std::move(node.mapped().batch);
  }

 private:
  struct Job {
    std::uint64_t number;
    Indices indices;
  };
  struct Result {
    optional<Batch> batch;
    std::exception_ptr error;
  };

  void work(std::size_t number) {
    prepare_worker_thread(number);
    Load load;
    for (Job job; take(job);) {
      Result result;
      try {
        if (!load) load = make_load_();
        result.batch = load(job.indices);
      } catch (...) {
        result.error = std::current_exception();
      }
      std::lock_guard lock(mutex_);
      if (job.number < epoch_start_) continue;  // of a loop that was left
      results_.emplace(job.number, std::move(result));
      result_came_.notify_one();
    }
  }
  bool take(Job& job) {
    std::unique_lock lock(mutex_);
    job_came_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (stopping_) return false;
    job = std::move(jobs_.front());
    jobs_.pop_front();
    return true;
  }
  void stop() {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    job_came_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  const bool ordered_;
  std::function<Load()> make_load_;
  std::mutex mutex_;
  std::condition_variable job_came_, result_came_;
  std::deque<Job> jobs_;
  std::map<std::uint64_t, Result> results_;
  std::uint64_t submitted_ = 0, given_ = 0, epoch_start_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace td::data
