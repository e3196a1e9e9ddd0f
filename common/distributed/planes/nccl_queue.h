// What a NcclGroup has on its GPU: the streams, the works in flight, and a thread that watches
// them, because NCCL itself does not say when a rank is missing.
// Invariant: one mutex guards all; it is never held while something waits for a GPU.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "td/backends/communicator.h"
#include "td/device/stream.h"
#include "distributed/planes/host_group.h"

namespace td::distributed {

class NcclQueue;

/// A call on its way.
class NcclWork final : public Work {
 public:
  NcclWork(Collective call, std::shared_ptr<NcclQueue> queue);
  void wait() override;
  bool is_completed() const override;

 private:
  friend class NcclQueue;

  const CollectiveKey key_;
  Tensor input_, output_;  // until it is queued: then the allocator knows who uses their memory
  Event ready_;            // what the program had queued before the call
  Event done_;             // recorded when it is queued
  std::atomic<bool> queued_{false};
  bool told_ = false;  // to the observer, by the watching thread
  std::chrono::steady_clock::time_point since_;
  const std::shared_ptr<NcclQueue> queue_;
};

/// See above.
class NcclQueue : public std::enable_shared_from_this<NcclQueue> {
 public:
  NcclQueue(int rank, std::chrono::milliseconds timeout, Device device,
            std::vector<std::shared_ptr<Communicator>> communicators,
            std::shared_ptr<CollectiveObserver> observer);
  ~NcclQueue();

  /// Starts the watching.
  void start();
  /// Queues a collective on the GPU; keeps a send or recv until start_parcels.
  std::shared_ptr<Work> add(Collective call);
  /// Queues all sends and recvs that are waiting for it, as one exchange.
  void start_parcels();
  /// @throws DistributedError when the group has failed.
  void check();
  bool has_failed();  ///< whether check() would throw
  /// Ends the group; the first reason stays.
  void fail(const std::string& why);
  /// Waits until nothing is in flight, or a failure.
  void drain();
  /// Ends the watching.
  void stop();

  Device device() const { return device_; }  ///< the GPU

 private:
  using Clock = std::chrono::steady_clock;
  using Lock = std::unique_lock<std::mutex>;

  using Works = std::vector<std::shared_ptr<NcclWork>>;

  void queue_on(const Stream& stream, Communicator& communicator, const Works& works);
  static std::shared_ptr<void> span_of(Communicator& communicator, const Stream& stream,
                                       const Works& works);
  void call_nccl(Communicator& communicator, const Stream& stream, const Works& works);
  void until_ready(Communicator& communicator);
  void watch();
  std::string look_after_works();
  void tell_started(NcclWork& work);
  void tell_finished(const std::shared_ptr<NcclWork>& work);
  std::string too_long(const NcclWork& work) const;
  void give_up();

  const int rank_;
  const std::chrono::milliseconds timeout_;
  const Device device_;
  const std::vector<std::shared_ptr<Communicator>> communicators_;
  const std::shared_ptr<CollectiveObserver> observer_;
  const Stream collectives_, parcels_;
  const Tensor nothing_;  // one element, for the barrier, which NCCL does not have
  std::mutex queueing_;   // NCCL takes one call at a time
  std::mutex mutex_;
  std::condition_variable changed_;
  Works works_, parcels_to_come_;
  CollectiveKey finished_;  // the last collective that ended
  std::string failure_;
  bool stopped_ = false, draining_ = false, given_up_ = false;
  std::thread thread_;
};

}  // namespace td::distributed
