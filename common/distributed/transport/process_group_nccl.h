// The process group for cuda tensors: NCCL moves the data from GPU to GPU on its own stream while
// the program's streams compute. init_process_group("nccl") makes it. Invariant: the host never
// waits for a GPU, except for a barrier; a failed group stays failed.
#pragma once

#include "distributed/rendezvous/host_info.h"
#include "distributed/transport/process_group_host.h"
#include "libs/communicator.h"

namespace td::distributed {

class NcclCalls;

/// A process group over NCCL. `wait()` of its works makes the current stream wait and returns
/// immediately; `wait()` of a barrier blocks the host. Collectives run in the order of calls. A
/// send or recv starts when one of them is waited for. All that are pending then start together, so
/// that two ranks can send to each other.
class ProcessGroupNCCL final : public ProcessGroup {
 public:
  /// @param communicators one for collectives and one for send and recv, which need no order with
  /// collectives; both on the same GPU.
  /// @param observer may be null.
  ProcessGroupNCCL(int rank, int size, std::chrono::milliseconds timeout, Device device,
                   std::vector<std::shared_ptr<Communicator>> communicators,
                   std::shared_ptr<CollectiveObserver> observer = nullptr);
  /// Waits for the calls in flight, unless the group or the program has failed.
  ~ProcessGroupNCCL() override;
  const char* transport() const override { return "nccl"; }

  /// Ends the group: all calls in flight and all later calls throw DistributedError(why). Only the
  /// first reason counts. Thread-safe.
  void fail(const std::string& why);

 protected:
  std::shared_ptr<Work> start(Collective call) override;

 private:
  std::shared_ptr<NcclCalls> calls_;
  int exceptions_;  // in flight when the group was made
};

/// Queues one collective, or sends and receives that start together, on `stream`.
/// @return the span in traces, which ends with the object.
std::shared_ptr<void> call_nccl(Communicator& communicator,
                                const std::vector<const Collective*>& calls, NativeStream* stream);

/// Aborts the communicators. A GPU that waits for a failed rank blocks every thread that waits for
/// the GPU. If NCCL cannot end that wait, the function prints `last_words` and ends the process.
void abort_nccl(const std::vector<std::shared_ptr<Communicator>>& communicators,
                const std::string& last_words);

/// Which of the `visible` GPUs the rank takes that is `local_rank` on its host: the one with its
/// number. If only one is visible, that one, because a launcher may show each rank its own GPU
/// (Slurm does with --gpus-per-task); join_nccl finds ranks that share a GPU by comparing UUIDs.
/// @throws DeviceError when there are several GPUs but too few.
int gpu_of_rank(int local_rank, int visible);
/// The GPU of the rank that is `local_rank` on its host, by gpu_of_rank.
/// @throws DeviceError when there is none, with the reason and the next step.
Device nccl_device(int local_rank);

/// Connects the GPUs of the ranks; `device` is this rank's, from nccl_device.
/// @throws DeviceError on all ranks when two of them have the same GPU; DistributedError when a
/// rank does not join.
std::shared_ptr<ProcessGroup> join_nccl(const Member& member, Device device,
                                        std::shared_ptr<CollectiveObserver> observer = nullptr);

}  // namespace td::distributed
