// Which address of this host the ranks of other hosts can reach. The rendezvous asks.
#pragma once

#include <string>

namespace td::distributed {

/// The IPv4 address of the network interface that TD_INTERFACE (or, as PyTorch has it,
/// GLOO_SOCKET_IFNAME) names; without one that of the default route, else of the first interface
/// that is up and not the loopback. Empty when there is only the loopback.
/// @throws Error when the named interface does not exist or has no address.
std::string reachable_address();

/// True for 127.x.y.z.
bool is_loopback(const std::string& address);

}  // namespace td::distributed
