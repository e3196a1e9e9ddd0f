// A process group whose data goes through host memory: gloo, shared memory, threads. Calls are
// queued and carried out in order by a thread of the group, so that a training step goes on
// meanwhile. Tensors on an accelerator are copied to pinned memory and back.
// Invariant: collectives run one at a time in the order of calls; a group that failed stays failed.
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "distributed/planes/host_plane.h"
#include "distributed/process_group.h"

namespace td::distributed {

/// What a group tells the control plane, and hears from it.
class CollectiveObserver {
 public:
  virtual ~CollectiveObserver() = default;
  /// A call begins and is done: what the control plane compares between ranks.
  ///@{
  virtual void started(const CollectiveKey& key) = 0;
  virtual void finished(const CollectiveKey& key) = 0;
  ///@}
  /// The group of this rank has failed for a reason of its own.
  virtual void failed(const std::string&) {}
  /// The plane failed in a call. Waits a moment for the reason that all ranks are given.
  virtual std::string explain(const CollectiveKey&, const std::string& error) { return error; }
  /// `tell` is called, from another thread, when the group cannot go on.
  virtual void on_failure(std::function<void(const std::string&)>) {}
  /// This rank has no more calls. When it returns `tell` is not called any more.
  virtual void leave() {}
};

class Lane;

/// ProcessGroup over a HostPlane.
class HostGroup : public ProcessGroup {
 public:
  /// @param observer may be null.
  HostGroup(int rank, int size, std::chrono::milliseconds timeout, std::shared_ptr<HostPlane> plane,
            std::shared_ptr<CollectiveObserver> observer = nullptr);
  /// Finishes what was started; a group that failed, or whose program is failing, does not wait.
  ~HostGroup() override;
  const char* plane() const override { return plane_->name(); }
  Tensor empty_shared(std::int64_t numel, const TensorOptions& options) override;

  /// Ends the group: all work in flight and all later calls throw DistributedError(why). The first
  /// reason stays. Called from any thread.
  void fail(const std::string& why);

 protected:
  std::shared_ptr<Work> start(Collective call) override;

 private:
  Lane& lane_for(CollectiveType type);
  bool has_failed();

  std::shared_ptr<HostPlane> plane_;
  std::shared_ptr<CollectiveObserver> observer_;
  std::shared_ptr<Lane> collectives_, sends_, receives_;
  std::mutex mutex_;
  std::string failure_;  // empty while all is well
  int exceptions_;       // in flight when the group was made
};

}  // namespace td::distributed
