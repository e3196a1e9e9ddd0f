// A collective that was started: the handle that ProcessGroup's methods return.
#pragma once

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

}  // namespace td::distributed
