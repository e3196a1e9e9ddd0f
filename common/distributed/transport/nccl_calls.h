// The calls of a ProcessGroupNCCL on its GPU: how they are submitted to NCCL, and the threads that
// watch them, because NCCL itself does not report that a rank is missing.
// Invariant: `mutex_` is never held while a thread waits for a GPU.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "distributed/transport/process_group_nccl.h"
#include "distributed/transport/work_queue.h"
#include "td/ops/ops.h"

namespace td::distributed {

/// A call in flight. Its tensors are released when it is submitted: from then on the allocator
/// knows which stream uses their memory.
class NcclWork final : public AsyncWork {
 public:
  NcclWork(Collective collective, std::shared_ptr<NcclCalls> calls, Device device)
      : AsyncWork(std::move(collective), false),
        device_(device),
        done_(device.type()),
        calls_(std::move(calls)) {}
  void wait() override;
  bool is_completed() const override;

 private:
  friend class NcclCalls;

  const Device device_;
  Event done_;  // recorded when it is submitted
  std::atomic<bool> submitted_{false};
  const std::shared_ptr<NcclCalls> calls_;
};

/// What the group and its works share. `mutex_` is never held while a thread waits for a GPU.
class NcclCalls : public std::enable_shared_from_this<NcclCalls> {
 public:
  using Clock = std::chrono::steady_clock;
  using Lock = std::unique_lock<std::mutex>;
  using Works = std::vector<std::shared_ptr<NcclWork>>;

  NcclCalls(int rank, std::chrono::milliseconds timeout, Device device_,
            std::vector<std::shared_ptr<Communicator>> communicators,
            std::shared_ptr<CollectiveObserver> observer)
      : device(device_),
        rank_(rank),
        timeout_(timeout),
        communicators_(std::move(communicators)),
        observer_(std::move(observer)),
        collective_stream_(getStreamFromPool(device, true)),
        p2p_stream_(getStreamFromPool(device, true)),
        barrier_tensor_(zeros({1}, TensorOptions().device(device))) {
    const auto watch = [this](AsyncWork& work) { this->watch(static_cast<NcclWork&>(work)); };
    for (auto* queue : {&collectives_, &sends_, &receives_})
      *queue = std::make_shared<WorkQueue>("nccl", watch, false);
    collectives_->check_when_idle([this] { check_communicators(); });
  }

  std::shared_ptr<Work> start(Collective call);
  void start_p2p();
  void check();
  bool has_failed();
  void fail(const std::string& why);
  void close();
  /// The last call: NCCL is no longer being aborted afterwards.
  void join_abort() {
    if (aborting_.joinable()) aborting_.join();
    pending_p2p_.clear();  // these works hold this object
  }

  const Device device;

 private:
  void submit(const Stream& stream, Communicator& communicator, const Works& works);
  void call_nccl(Communicator& communicator, const Stream& stream, const Works& works);
  void wait_until_queued(Communicator& communicator);
  void watch(NcclWork& work);
  bool is_done(NcclWork& work);
  void check_communicators();
  std::string too_long(const CollectiveFingerprint& key);
  void abort_nccl();

  const int rank_;
  const std::chrono::milliseconds timeout_;
  const std::vector<std::shared_ptr<Communicator>> communicators_;
  const std::shared_ptr<CollectiveObserver> observer_;
  const Stream collective_stream_, p2p_stream_;
  const Tensor barrier_tensor_;  // NCCL has no barrier: it is an all-reduce of one element
  std::shared_ptr<WorkQueue> collectives_, sends_, receives_;
  std::mutex submitting_;  // NCCL takes one call at a time
  std::mutex mutex_;
  std::condition_variable changed_;
  Works pending_p2p_;
  CollectiveFingerprint finished_;  // the last collective that ended
  std::string failure_;
  bool closing_ = false;
  std::thread aborting_;
};

}  // namespace td::distributed
