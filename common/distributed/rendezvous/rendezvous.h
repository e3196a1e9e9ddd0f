// How ranks that know only their number and a store find each other. init_process_group calls it,
// and tests that start ranks as threads. Rank 0 announces in the store where it listens; all others
// connect to it and stay connected. Invariant: every rank that reaches rank 0 gets the same answer,
// all members or the same error message; entries of an earlier run in the store have no effect.
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

/// From the options and the environment. @throws Error with the next step when they are incomplete.
RendezvousConfig resolve_rendezvous(const std::string& url, const InitOptions& options);

/// The ranks of one run.
struct RendezvousInfo {
  std::vector<HostInfo> hosts;  ///< one per rank
  std::vector<Socket> sockets;  ///< on rank 0 to ranks 1, 2, ...; on the others to rank 0
};

/// Blocks until all ranks have joined. Rank 0 collects and compares their cards and answers all.
/// @throws DistributedError naming the ranks that are missing, differ, or exist twice.
RendezvousInfo join(Store& store, const RendezvousConfig& config,
                    std::chrono::milliseconds timeout);

/// Joins the others and makes the group: init_process_group after resolve_rendezvous.
/// @throws DistributedError with one message on every rank.
std::shared_ptr<ProcessGroup> join_group(const std::string& backend, const RendezvousConfig& place,
                                         Store& store, const InitOptions& options);

}  // namespace td::distributed
