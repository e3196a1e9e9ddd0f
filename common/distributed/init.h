// The steps of init_process_group. init.cpp runs them; tests use them to start ranks as threads.
#pragma once

#include <string>

#include "distributed/distributed.h"
#include "distributed/rendezvous/store.h"

namespace td::distributed {

/// This process among the ranks, and the store of the rendezvous.
struct RendezvousConfig {
  /// From the launcher.
  ///@{
  int rank = 0, world_size = 1, local_rank = 0;
  ///@}
  std::string url;     ///< of the store
  std::string folder;  ///< made for this run and removed when all have joined; or ""
};

/// From the options and the environment. @throws Error when they do not say enough, with the next
/// step.
RendezvousConfig resolve_rendezvous(const std::string& url, const InitOptions& options);

/// Joins the others and makes the group. @throws DistributedError with one message on every rank.
std::shared_ptr<ProcessGroup> join_group(const std::string& backend, const RendezvousConfig& place,
                                         Store& store, const InitOptions& options);

}  // namespace td::distributed
