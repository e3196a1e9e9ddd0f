// Where a rank runs and how others reach it: for error messages, for the choice of an address and
// of shared memory. Ranks send it to all others when they join (messages.h).
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace td::distributed {

/// An all-gather of strings: sends `mine` to all ranks and returns the strings of all ranks, in the
/// order of ranks. All ranks call it equally often. CoordinationAgent has one.
/// @throws DistributedError when a rank does not take part.
using Exchange = std::function<std::vector<std::string>(const std::string& mine)>;

/// Strings are empty if the system does not provide them.
struct HostInfo {
  std::string hostname;           ///< as the program `hostname` prints it
  std::string boot_id;            ///< differs between machines, and after each start of one
  std::string network_namespace;  ///< "net:[4026531840]": containers have their own
  int pid = 0;                    ///< as this process sees itself
  std::string address = "";       ///< the IPv4 address where other ranks reach it
};

/// A rank that has met the others, and what it needs to connect its transport to theirs.
struct Member {
  int rank = 0;                               ///< of this process
  std::vector<HostInfo> hosts;                ///< of all ranks, in their order
  Exchange exchange;                          ///< between all ranks
  std::chrono::milliseconds timeout{30'000};  ///< for connecting and for each call
  int size() const { return static_cast<int>(hosts.size()); }
};

/// The HostInfo of this process, without an address.
HostInfo read_host_info();
/// "rank 1 (process 4711 on alpha)".
std::string describe(int rank, const HostInfo& host);
/// True if two processes may share memory, judged by their HostInfo: the same host name, start of
/// the kernel and network namespace. Whether they can is known only after they have tried.
bool same_host(const HostInfo& a, const HostInfo& b);

/// The IPv4 address of the network interface that TD_INTERFACE (or, as in PyTorch,
/// GLOO_SOCKET_IFNAME) names; without one that of the default route, otherwise of the first
/// interface that is up and not the loopback. Empty if there is only the loopback.
/// @throws Error when the named interface does not exist or has no address.
std::string reachable_address();
/// True for 127.x.y.z.
bool is_loopback(const std::string& address);

}  // namespace td::distributed
