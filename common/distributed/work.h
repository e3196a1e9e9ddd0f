// A collective that was started: the handle that ProcessGroup's methods return.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "td/base/error.h"

namespace td::distributed {

/// A group that cannot go on: a rank died, is stuck, left, or does something else than the others.
/// Every rank gets the same text, which names the rank and the cause.
class DistributedError : public Error {
 public:
  using Error::Error;
};

/// Work in flight. The group keeps the tensors alive until it is done; until then nobody may write
/// to what it reads, nor read what it writes.
class Work {
 public:
  virtual ~Work() = default;
  /// Until the results are there: for cpu and sim tensors the host waits; for cuda tensors the
  /// current stream does, and the host goes on.
  /// @throws DistributedError when the group failed.
  virtual void wait() = 0;
  /// True when it is done, or has failed. Does not block.
  virtual bool is_completed() const = 0;
};

/// Work with something left to do on this rank once the data is there: wait() does it.
class ThenWork final : public Work {
 public:
  ThenWork(std::shared_ptr<Work> work, std::function<void()> then)
      : work_(std::move(work)), then_(std::move(then)) {}
  void wait() override {
    work_->wait();
    if (then_) std::exchange(then_, nullptr)();
  }
  bool is_completed() const override { return work_->is_completed(); }

 private:
  std::shared_ptr<Work> work_;
  std::function<void()> then_;
};

}  // namespace td::distributed
