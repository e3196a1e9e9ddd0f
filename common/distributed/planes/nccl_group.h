// The process group for cuda tensors: NCCL carries the data from GPU to GPU, in a stream of its
// own, while the program's streams compute. init_process_group("nccl") makes it. Invariant: the
// host never waits for a GPU, but for a barrier; a group that failed stays failed.
#pragma once

#include <functional>
#include <mutex>

#include "td/backends/communicator.h"
#include "distributed/planes/host_group.h"
#include "distributed/rendezvous/host_facts.h"

namespace td::distributed {

class NcclQueue;

/// ProcessGroup over NCCL. `wait()` of its works makes the current stream wait and lets the host go
/// on; that of a barrier waits on the host. Collectives run in the order of calls. A send or a recv
/// starts when one of them is waited for, and all that are there by then start together, so that
/// two ranks can send to each other.
class NcclGroup final : public ProcessGroup {
 public:
  /// @param communicators one for collectives, and one for send and recv, which need no order with
  /// them; the same GPU for both.
  /// @param observer may be null.
  NcclGroup(int rank, int size, std::chrono::milliseconds timeout, Device device,
            std::vector<std::shared_ptr<Communicator>> communicators,
            std::shared_ptr<CollectiveObserver> observer = nullptr);
  /// Waits for what was started; a group that failed, or whose program is failing, does not.
  ~NcclGroup() override;
  const char* plane() const override { return "nccl"; }

  /// Ends the group: all work in flight and all later calls throw DistributedError(why). The first
  /// reason stays. Called from any thread.
  void fail(const std::string& why);

 protected:
  std::shared_ptr<Work> start(Collective call) override;

 private:
  std::shared_ptr<CollectiveObserver> observer_;
  std::shared_ptr<NcclQueue> queue_;
  int exceptions_;  // in flight when the group was made
};

/// Which of the `visible` GPUs the rank takes that is `local_rank` on its host: the one with its
/// number. Where only one is visible, that one, because a launcher may show each rank its own
/// (Slurm does with --gpus-per-task); join_nccl finds ranks that share a GPU by comparing UUIDs.
/// @throws DeviceError when there are several GPUs but too few.
int gpu_of_rank(int local_rank, int visible);
/// The GPU of the rank that is `local_rank` on its host, by gpu_of_rank.
/// @throws DeviceError when there is none, with the reason and the next step.
Device nccl_device(int local_rank);

/// What join_nccl needs to know.
struct NcclOptions {
  int rank = 0;                  ///< of this process
  std::vector<HostFacts> hosts;  ///< of all ranks, in their order
  Device device = kCUDA;         ///< from nccl_device
  /// How long joining and each call may wait for other ranks.
  std::chrono::milliseconds timeout{30'000};
  Exchange exchange;            ///< between all ranks, for the ids of GPUs and groups
  std::function<void()> check;  ///< throws when the group cannot be made any more; may be empty
  std::shared_ptr<CollectiveObserver> observer;  ///< may be null
};

/// Brings the ranks' GPUs together.
/// @throws DeviceError on all ranks when two of them have the same GPU; DistributedError when a
/// rank does not come.
std::shared_ptr<ProcessGroup> join_nccl(const NcclOptions& options);

}  // namespace td::distributed
