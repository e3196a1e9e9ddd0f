// One call of a process group, as data: what every rank must agree on, the tensors of this rank,
// the handle that the caller gets, and the error messages. ProcessGroup's methods fill it in, a
// group's start() executes it, the coordination service compares it between ranks. Every transport
// uses these messages, so that a mistake reads the same however the data moves.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "libs/communicator.h"
#include "td/tensor/tensor.h"

namespace td::distributed {

using td::ReduceOp;

/// The group cannot continue: a rank failed, hangs, left, or makes a different call. Every rank
/// gets the same message, which names the rank and the cause.
class DistributedError : public Error {
 public:
  using Error::Error;
};

/// Whether and why a group cannot continue. Only the first reason counts. Thread-safe.
class GroupFailure {
 public:
  /// Returns true for the first reason, and false for all later ones.
  bool set(const std::string& why);
  /// True after the first reason. A thread that waits for other ranks also waits for this.
  const std::atomic<bool>& happened() const { return happened_; }
  /// The reason, when there is one.
  const std::string& why() const { return why_; }
  /// @throws DistributedError with the reason, when there is one.
  void check() const {
    if (happened_) throw DistributedError(why_);
  }

 private:
  std::mutex mutex_;  // of set(); afterwards nothing changes
  std::string why_;
  std::atomic<bool> happened_{false};
};

/// The kinds of calls.
enum class CollectiveType : std::uint8_t {
  kBroadcast,
  kAllReduce,
  kReduce,
  kAllGather,
  kReduceScatter,
  kBarrier,
  kSend,
  kReceive
};

/// "sum", "avg", ...
const char* reduce_name(ReduceOp op);
/// "all_reduce", "broadcast", ...: the name of the method.
const char* collective_name(CollectiveType type);

/// What all ranks of one collective must agree on. Trivially copyable, so that it fits a message.
struct CollectiveFingerprint {
  std::uint64_t sequence = 0;  ///< 1 for a group's first collective; 0 for send and recv
  std::int64_t numel = 0;      ///< elements of one rank's input (all_gather) or of the tensor
  std::int32_t peer = 0;       ///< the root; for send and recv the other rank
  std::int32_t tag = 0;        ///< of send and recv
  CollectiveType type = CollectiveType::kBarrier;  ///< which call
  ReduceOp reduce = ReduceOp::SUM;                 ///< of the calls that reduce
  ScalarType dtype = kFloat;                       ///< of the elements

  /// The bytes of `numel` elements.
  std::size_t bytes() const { return static_cast<std::size_t>(numel) * element_size(dtype); }
  friend bool operator==(const CollectiveFingerprint&, const CollectiveFingerprint&) = default;
};

/// A call with its tensors, which are contiguous.
struct Collective {
  CollectiveFingerprint key;  ///< the call
  Tensor input;               ///< what is read
  Tensor output;              ///< what is written; the same tensor for calls that work in place
};

/// A call in flight. The group keeps the tensors alive until it is done. Until then the program
/// must not write to what the call reads, nor read what it writes.
class Work {
 public:
  virtual ~Work() = default;
  /// For cpu and sim tensors: blocks until the results are there. For cuda tensors: makes the
  /// current stream wait and returns immediately.
  /// @throws DistributedError when the group has failed.
  virtual void wait() = 0;
  /// True when it is done, or has failed. Does not block.
  virtual bool is_completed() const = 0;
};

/// Work with something left to do on this rank after the data has arrived: wait() does it, or the
/// first is_completed() that finds the data there.
class ThenWork final : public Work {
 public:
  ThenWork(std::shared_ptr<Work> work, std::function<void()> then)
      : work_(std::move(work)), then_(std::move(then)) {}
  void wait() override { finish(); }
  bool is_completed() const override {
    if (!work_->is_completed()) return false;
    try {
      finish();
    } catch (const DistributedError&) {  // it has failed; wait() says why
    }
    return true;
  }

 private:
  void finish() const {
    work_->wait();
    if (then_) std::exchange(then_, nullptr)();
  }
  std::shared_ptr<Work> work_;
  mutable std::function<void()> then_;
};

/// The call as text: "all_reduce #17 (avg, 1000 x float32)".
std::string describe(const CollectiveFingerprint& key);
/// Empty if all ranks make the same call; otherwise an error message with the call of each rank.
/// @param calls one per rank.
std::string mismatch(const std::vector<CollectiveFingerprint>& calls);
/// The error message for a send and a recv with different elements, or with different tags.
std::string p2p_mismatch(int from, const CollectiveFingerprint& sent, int to,
                         const CollectiveFingerprint& received);
/// "50 ms" or "30 s".
std::string in_words(std::chrono::milliseconds time);

}  // namespace td::distributed
