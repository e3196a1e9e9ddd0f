// The transport between processes of any hosts: gloo's TCP connections, one between any two ranks.
// The collectives are ours, on gloo's buffers: all_reduce is the one of shared memory, each rank
// reduces one slice of all data and sends it to all ranks, so both transports give equal bits.
// Invariant: a message is tagged with a hash of its call, so that mismatched calls never exchange
// data; they block until the coordination service has found the mismatch.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "distributed/rendezvous/host_info.h"
#include "distributed/transport/transport.h"

namespace td::distributed {

/// What a rank needs to connect to the others.
struct GlooOptions {
  int rank = 0;         ///< of this process
  int size = 1;         ///< number of ranks
  std::string address;  ///< of this rank's network interface: "127.0.0.1"
  Exchange exchange;    ///< between all ranks, for gloo's handshake
  std::chrono::milliseconds connect_timeout{30'000};  ///< for all connections together
  std::chrono::milliseconds timeout{60'000};          ///< for one message of a collective
};

/// Connects to all other ranks, which do the same. @throws DistributedError naming the rank that
/// did not come or cannot be reached; Error in a build without gloo, with the package to install.
std::shared_ptr<Transport> make_gloo_transport(const GlooOptions& options);

}  // namespace td::distributed
