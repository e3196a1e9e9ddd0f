// Notes in the store that mpirun and srun keep for their processes (PMIx). open_store calls it for
// "pmix:". The library is opened at its first use, so that programs without it start fast.
#pragma once

#include "distributed/rendezvous/store.h"

namespace td::distributed {

/// @throws Error when no launcher with PMIx has started this process, or in a build without PMIx.
std::unique_ptr<Store> open_pmix_store();

}  // namespace td::distributed
