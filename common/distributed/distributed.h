// Training in several processes, one per device: td::distributed, with the names of Python's
// torch.distributed. A program calls init_process_group once, then the functions below or
// DistributedDataParallel (ddp.h).
//
//   td::distributed::init_process_group("gloo");   // started by ./course launch -n 2 PROGRAM
//   td::distributed::all_reduce(tensor);           // the sum over all ranks, everywhere
#pragma once

#include "distributed/process_group.h"

namespace td::distributed {

/// What init_process_group takes besides backend and url.
struct InitOptions {
  /// How long joining and each collective may wait for the other ranks.
  std::chrono::milliseconds timeout = std::chrono::seconds(30);
  /// How long a rank may send no message before the group treats it as failed.
  std::chrono::milliseconds heartbeat_timeout = std::chrono::seconds(10);
  int rank = -1;        ///< of this process; -1: as the launcher says (environment.h)
  int world_size = -1;  ///< the number of ranks; -1: likewise
};

/// Joins the ranks of this program and makes their group the default one.
/// @param backend "gloo" for cpu and sim tensors, "nccl" for cuda tensors.
/// Under "gloo" ranks that are all on one host use shared memory; TD_TRANSPORT=gloo keeps them on
/// gloo's own sockets, TD_TRANSPORT=shm requires shared memory.
/// @param url where the ranks find each other: "file:///dir", "redis://host:port", "pmix:", or
/// "env:" for the url that the launcher sets in TD_RENDEZVOUS.
/// @throws DistributedError naming the missing rank, Error for a url or a backend that is not
/// known.
void init_process_group(const std::string& backend = "gloo",
                        const std::string& url = "env:", const InitOptions& options = {});
/// Leaves the default group, after all started work is done.
void destroy_process_group();
/// True between these two calls.
bool is_initialized();

/// The default group: this thread's own where it is a rank (thread_group.h), else the process's.
/// @throws Error when there is none.
ProcessGroup& default_group();
/// The same, for a caller that keeps it.
std::shared_ptr<ProcessGroup> default_group_ptr();
/// Rank and size of the default group.
///@{
int get_rank();
int get_world_size();
///@}

/// @name The collectives of the default group, which return when they are done
/// @{
void broadcast(const Tensor& tensor, int root = 0);
void all_reduce(const Tensor& tensor, ReduceOp op = ReduceOp::SUM);
void reduce(const Tensor& tensor, int root = 0, ReduceOp op = ReduceOp::SUM);
void all_gather(const TensorList& outputs, const Tensor& input);
void reduce_scatter(const Tensor& output, const TensorList& inputs, ReduceOp op = ReduceOp::SUM);
void barrier();
void send(const Tensor& tensor, int to, int tag = 0);
void recv(const Tensor& tensor, int from, int tag = 0);
/// @}

/// Makes `group` the process's default group; null: none. init_process_group calls it.
void set_default_group(std::shared_ptr<ProcessGroup> group);
/// Makes `group` the default group of this thread, which is a rank; null: that of the process.
void set_thread_group(std::shared_ptr<ProcessGroup> group);

}  // namespace td::distributed
