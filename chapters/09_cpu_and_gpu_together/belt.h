// The queue between the two threads of a pipeline: one puts parcels in, the other takes them out,
// and both may end it. Exercise 9.pipeline calls it. Invariant: nobody waits for a thread that has
// given up.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <utility>

#include "td/td.h"

/// A batch on its way. It is kept whole until the work on it is done.
struct Parcel {
  td::data::Example<> host, on_device;
  td::Event copied, used;
};

/// Carries batches from the preparing thread to the caller, at most `places` at a time.
class Belt {
 public:
  /// @param places 1 or more.
  explicit Belt(std::size_t places) : places_(places) {}

  /// For the thread: waits for a free place. @return false when no more batches are wanted.
  bool wait_for_place() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || parcels_.size() < places_; });
    return !closed_;
  }
  /// Into the free place.
  void put(Parcel parcel) {
    const std::lock_guard lock(mutex_);
    parcels_.push_back(std::move(parcel));
    changed_.notify_all();
  }
  /// No batch will come any more, and this is why.
  void fail(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    error_ = error;
    changed_.notify_all();
  }
  /// For the caller: waits for a batch, or throws what came in its place.
  Parcel take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return error_ || !parcels_.empty(); });
    if (parcels_.empty()) std::rethrow_exception(error_);
    Parcel first = std::move(parcels_.front());
    parcels_.pop_front();
    changed_.notify_all();
    return first;
  }
  /// No batch is wanted any more.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  const std::size_t places_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Parcel> parcels_;
  std::exception_ptr error_;
  bool closed_ = false;
};
