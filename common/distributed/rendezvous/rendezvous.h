// How ranks that know only their number and a store find each other. init_process_group calls it,
// and tests that start ranks as threads. Rank 0 announces in the store where it listens; all others
// connect to it and stay connected. Invariant: every rank that reaches rank 0 ends with the same
// answer, all members or an error in the same words; what an earlier run left in the store changes
// nothing.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "distributed/distributed.h"
#include "distributed/launch/environment.h"
#include "distributed/rendezvous/host_info.h"
#include "distributed/rendezvous/store.h"
#include "os/socket.h"

namespace td::distributed {

/// This process among the ranks, and the store of the rendezvous.
struct RendezvousConfig : Environment {
  std::string url;     ///< of the store
  std::string folder;  ///< made for this run and removed when all have joined; or ""
};

/// From the options and the environment. @throws Error when they do not say enough, with the next
/// step.
RendezvousConfig resolve_rendezvous(const std::string& url, const InitOptions& options);

/// The ranks of one run.
struct RendezvousInfo {
  std::vector<HostInfo> hosts;  ///< one a rank
  std::vector<Socket> sockets;  ///< on rank 0 to ranks 1, 2, ...; on the others to rank 0
};

/// Waits until all ranks have come. Rank 0 collects them, compares what they say and answers all.
/// @throws DistributedError naming the ranks that are missing, say otherwise, or exist twice.
RendezvousInfo join(Store& store, const RendezvousConfig& config,
                    std::chrono::milliseconds timeout);

/// Joins the others and makes the group: init_process_group after resolve_rendezvous.
/// @throws DistributedError with one message on every rank.
std::shared_ptr<ProcessGroup> join_group(const std::string& backend, const RendezvousConfig& place,
                                         Store& store, const InitOptions& options);

}  // namespace td::distributed
