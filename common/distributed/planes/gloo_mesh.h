// Connects a rank to all others by gloo, with a Store of ours in between. GlooPlane calls it.
#pragma once

#include <gloo/context.h>

#include <memory>

#include "distributed/planes/gloo_plane.h"

namespace td::distributed {

/// Returns when this rank is connected to all others. The notes it leaves are "<run>.gloo.<rank>"
/// and "<run>.gloo.rank_<rank>".
/// @throws DistributedError naming the rank that did not come or cannot be reached.
std::shared_ptr<gloo::Context> connect_mesh(const GlooOptions& options, Store& store);

}  // namespace td::distributed
