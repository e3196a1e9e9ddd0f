// What ranks with unequal numbers of batches tell each other at every step. Used by
// DistributedDataParallel::join.
#pragma once

#include "distributed/process_group.h"

namespace td::distributed {

/// One step, on which all ranks agree.
struct JoinStep {
  int active = 1;          ///< ranks that have a batch
  int root = 0;            ///< the first of them
  bool gradients = false;  ///< its backward averages
  bool buffers = false;    ///< it begins with a broadcast of the buffers
};

/// Every rank says whether it has a batch and what its forward will do.
/// @throws Error on all ranks when those that have a batch want to do different things.
JoinStep agree(ProcessGroup& group, bool has_batch, bool gradients, bool buffers, Device device);

}  // namespace td::distributed
