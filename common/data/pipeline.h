// The worker threads of a loader: a queue of index lists in, a queue of batches out. Jobs are
// numbered; with ordering, batch n is returned only after batch n - 1. One thread consumes batches.
#pragma once

#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "td/base/error.h"
#include "td/base/parallel.h"
#include "td/base/span.h"
#include "td/tensor/generator.h"
#include "td/tensor/options.h"

namespace td::data {

/// Loads batches on worker threads and returns them in order.
template <class Batch>
class Pipeline {
 public:
  using Indices = std::vector<std::size_t>;
  using Load = std::function<Batch(const Indices&)>;
  /// What a worker draws random numbers from while it loads a batch.
  using Seed = std::uint64_t;

  /// @param make_load called once in each worker; returns the function that loads a batch.
  Pipeline(std::size_t workers, bool ordered, std::function<Load()> make_load)
      : ordered_(ordered), make_load_(std::move(make_load)) {
    try {
      for (std::size_t i = 0; i < workers; ++i) threads_.emplace_back([this, i] { work(i); });
    } catch (...) {  // the system has no more threads: join those that were started
      stop();
      throw;
    }
  }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;
  ~Pipeline() { stop(); }

  /// Enqueues one more batch. Its random numbers depend on `seed` alone, not on which worker loads
  /// it and what else draws numbers meanwhile.
  void submit(Indices indices, Seed seed) {
    {
      std::lock_guard lock(mutex_);
      jobs_.push_back({submitted_++, std::move(indices), seed});
    }
    job_came_.notify_one();
  }

  /// Removes all jobs; the results of jobs in flight are discarded.
  void clear() {
    std::lock_guard lock(mutex_);
    jobs_.clear();
    results_.clear();
    epoch_start_ = given_ = submitted_;
  }

  /// Blocks until the next batch is loaded and returns it; nullopt when all submitted batches were
  /// returned. Rethrows an exception of the worker.
  optional<Batch> next(optional<std::chrono::milliseconds> timeout) {
    std::unique_lock lock(mutex_);
    if (given_ == submitted_) return nullopt;
    const trace::Span span("wait for batch", trace::Category::kWait);
    const auto ready = [this] {
      return !results_.empty() && (!ordered_ || results_.begin()->first == given_);
    };
    if (!timeout)
      result_came_.wait(lock, ready);
    else
      TD_CHECK(
          Error, result_came_.wait_for(lock, *timeout, ready), "data loader: no batch came within ",
          timeout->count(),
          " ms; the dataset's get() is slow or stuck. Give more workers, or a longer timeout.");
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
    Seed seed;
  };
  struct Result {
    optional<Batch> batch;
    std::exception_ptr error;
  };

  void work(std::size_t number) {
    pthread_setname_np(pthread_self(), ("loader " + std::to_string(number)).substr(0, 15).c_str());
    set_parallel_width(1);  // because there are many workers
    Load load;
    for (Job job; take(job);) {
      Result result;
      try {
        if (!load) load = make_load_();
        Generator numbers(job.seed);
        const GeneratorGuard guard(numbers);
        result.batch = load(job.indices);
      } catch (...) {
        result.error = std::current_exception();
      }
      std::lock_guard lock(mutex_);
      if (job.number < epoch_start_) continue;  // of an abandoned loop
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
