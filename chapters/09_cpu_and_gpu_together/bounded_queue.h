// The queue between the two threads of a pipeline: one thread puts batches in, the other takes them
// out, and both may end it. Exercise 9.pipeline uses it.
// Invariant: no thread waits for a thread that has stopped.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <utility>

#include "td/td.h"

/// A batch with the memory of its copy. Keep the whole object until the work on it has finished.
struct InFlightBatch {
  td::data::Example<> host, on_device;
  td::Event copied, used;
};

/// Passes batches from the preparing thread to the caller, in order. Thread-safe.
class BoundedQueue {
 public:
  /// @param capacity the most batches that the queue holds; 1 or more.
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  /// For the preparing thread. Blocks until the queue has space for one more batch.
  /// @return false after close(): no more batches are wanted.
  bool wait_for_space() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || batches_.size() < capacity_; });
    return !closed_;
  }
  /// Appends a batch. Call wait_for_space() before.
  void put(InFlightBatch batch) {
    const std::lock_guard lock(mutex_);
    batches_.push_back(std::move(batch));
    changed_.notify_all();
  }
  /// Reports that no more batches will come, because of `error`.
  void fail(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    error_ = error;
    changed_.notify_all();
  }
  /// For the caller. Blocks until there is a batch and returns it.
  /// @throws the error of fail(), once all batches that came before it have been taken.
  InFlightBatch take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return error_ || !batches_.empty(); });
    if (batches_.empty()) std::rethrow_exception(error_);
    InFlightBatch first = std::move(batches_.front());
    batches_.pop_front();
    changed_.notify_all();
    return first;
  }
  /// Tells the preparing thread to stop.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<InFlightBatch> batches_;
  std::exception_ptr error_;
  bool closed_ = false;
};
