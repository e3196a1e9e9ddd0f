// How ranks that know only their number and a store find each other. init_process_group calls it.
// Rank 0 announces in the store where it listens; all others connect to it and stay connected.
// Invariant: every rank that reaches rank 0 ends with the same answer, all members or an error in
// the same words; what an earlier run left in the store changes nothing.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "distributed/coordination/socket.h"
#include "distributed/rendezvous/host_info.h"
#include "distributed/rendezvous/store.h"

namespace td::distributed {

/// The ranks of one run.
struct RendezvousInfo {
  std::vector<HostInfo> hosts;  ///< one a rank
  std::vector<Socket> sockets;  ///< on rank 0 to ranks 1, 2, ...; on the others to rank 0
};

/// The options that each rank passes to join().
struct JoinOptions {
  int rank = 0;                               ///< of this process
  int world_size = 1;                         ///< how many ranks it expects
  std::chrono::milliseconds timeout{30'000};  ///< for all to come
};

/// Waits until all ranks have come. Rank 0 collects them, compares what they say and answers all.
/// @throws DistributedError naming the ranks that are missing, say otherwise, or exist twice.
RendezvousInfo join(Store& store, const JoinOptions& options);

}  // namespace td::distributed
