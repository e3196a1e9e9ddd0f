// The transport between processes of one host: a barrier is a counter in shared memory, and data in
// shared memory is reduced in place. init_process_group takes it when all ranks are on one
// host; NCCL has such a transport for GPUs, gloo has none.
// Invariant: this transport carries data and compares calls. It waits for the other ranks without
// end: that one of them is dead, stuck or gone is for the coordination service to find, which calls
// abort.
#pragma once

#include "distributed/rendezvous/host_info.h"
#include "distributed/transport/shared_segment.h"
#include "distributed/transport/transport.h"

namespace td::distributed {

/// Data that is in memory of allocate_shared on all ranks is not copied at all; other data goes
/// piece by piece through a stage in shared memory.
/// @param segments the ranks' segments, each made with shm_segment_bytes; the rank's own one is the
/// one it has made.
std::shared_ptr<Transport> make_shm_transport(int rank,
                                              std::vector<std::shared_ptr<SharedSegment>> segments);
/// What the transport of a group of `size` ranks needs at the beginning of each segment.
std::size_t shm_segment_bytes(int size);

/// What join_shared_memory found.
struct SharedMemory {
  std::shared_ptr<Transport> transport;  ///< null when the ranks cannot share memory
  std::string why_not;                   ///< then the reason, with the rank it comes from
};

/// Makes the transport if all ranks can share memory; all ranks come to the same decision.
SharedMemory join_shared_memory(const Member& member);

}  // namespace td::distributed
