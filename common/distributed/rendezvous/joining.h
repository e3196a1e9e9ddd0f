// What init_process_group does, in steps. init.cpp walks them; tests start ranks as threads by
// them.
#pragma once

#include <string>

#include "distributed/distributed.h"
#include "distributed/rendezvous/store.h"

namespace td::distributed {

/// This process among the ranks, and where they meet.
struct Place {
  /// As the launcher says.
  ///@{
  int rank = 0, world_size = 1, local_rank = 0;
  ///@}
  std::string url;     ///< where they meet
  std::string folder;  ///< that was made for this run, to be removed when all have joined; or ""
};

/// From the options and the environment. @throws Error when they do not say enough, with the next
/// step.
Place find_place(const std::string& url, const InitOptions& options);

/// Joins the others and makes the group. @throws DistributedError on every rank, in the same words.
std::shared_ptr<ProcessGroup> join_group(const std::string& backend, const Place& place,
                                         Store& store, const InitOptions& options);

}  // namespace td::distributed
