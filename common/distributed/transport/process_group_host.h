// A process group that moves data through host memory: gloo, shared memory. Calls are
// queued and executed in order by a thread of the group, so that a training step continues
// meanwhile. Tensors on an accelerator are copied to pinned memory and back.
// Invariant: collectives run one at a time in the order of calls; a failed group stays failed.
#pragma once

#include <functional>
#include <string>

#include "distributed/process_group.h"
#include "distributed/transport/transport.h"

namespace td::distributed {

/// What a group reports to the coordination service and receives from it.
class CollectiveObserver {
 public:
  virtual ~CollectiveObserver() = default;
  /// A call starts and ends: the coordination service compares the calls of the ranks.
  ///@{
  virtual void started(const CollectiveFingerprint& key) = 0;
  virtual void finished(const CollectiveFingerprint& key) = 0;
  ///@}
  /// The group of this rank has failed for its own reason.
  virtual void failed(const std::string&) {}
  /// The transport failed in a call. Waits briefly for the error message that all ranks get.
  virtual std::string explain(const CollectiveFingerprint&, const std::string& error) {
    return error;
  }
  /// @throws DistributedError when the group has failed.
  virtual void check() {}
  /// `report` is called, from another thread, when the group cannot continue.
  virtual void on_failure(std::function<void(const std::string&)>) {}
  /// This rank makes no more calls. After this call `report` is not called again.
  virtual void leave() {}
};

class WorkQueue;

/// A process group over a Transport. Thread-safe.
class ProcessGroupHost : public ProcessGroup {
 public:
  /// @param transport null for a group of one rank, which sends nothing.
  /// @param observer may be null.
  ProcessGroupHost(int rank, int size, std::shared_ptr<Transport> transport,
                   std::shared_ptr<CollectiveObserver> observer = nullptr);
  /// Waits for the calls in flight, unless the group or the program has failed.
  ~ProcessGroupHost() override;
  const char* transport() const override { return transport_ ? transport_->name() : "one rank"; }
  Tensor empty_shared(std::int64_t numel, const TensorOptions& options) override;

  /// Ends the group: all calls in flight and all later calls throw DistributedError(why). Only the
  /// first reason counts.
  void fail(const std::string& why);

 protected:
  std::shared_ptr<Work> start(Collective call) override;

 private:
  std::shared_ptr<Transport> transport_;
  std::shared_ptr<CollectiveObserver> observer_;
  // One for collectives, which must keep their order, and one each for sends and receives, which
  // must not delay each other.
  std::vector<std::shared_ptr<WorkQueue>> queues_;
  GroupFailure failure_;
  int exceptions_;  // in flight when the group was made
};

}  // namespace td::distributed
