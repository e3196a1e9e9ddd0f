// Where a rank runs, as far as others must know it: for messages, for refusing addresses that
// another host cannot reach, and for choosing shared memory. Ranks give theirs to all others when
// they join (an Exchange).
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace td::distributed {

/// Gives `mine` to all ranks and returns what each one gave, in the order of ranks. All ranks call
/// it equally often. The control plane has one; tests make theirs of threads.
/// @throws DistributedError when a rank does not come.
using Exchange = std::function<std::vector<std::string>(const std::string& mine)>;

/// Empty strings where the system does not tell.
struct HostFacts {
  std::string hostname;           ///< as the program `hostname` prints it
  std::string boot_id;            ///< differs between machines, and after each start of one
  std::string network_namespace;  ///< "net:[4026531840]": containers have their own
  int pid = 0;                    ///< as this process sees itself
};

/// Those of this process.
HostFacts read_host_facts();

/// As text for an Exchange, and back. @throws Error for a text that encode did not make.
///@{
std::string encode(const HostFacts& facts);
HostFacts decode_host_facts(const std::string& text);
///@}

/// True when two processes may share memory by what they tell of themselves: the same host name,
/// start of the kernel and network namespace. Whether they really can shows when they try.
bool same_host(const HostFacts& a, const HostFacts& b);

}  // namespace td::distributed
