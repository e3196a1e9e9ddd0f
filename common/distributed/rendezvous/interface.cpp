// What the kernel says of its network interfaces.
#include "distributed/rendezvous/interface.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "td/base/error.h"

namespace td::distributed {
namespace {

std::string text_of(const sockaddr* address) {
  char text[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text, sizeof text);
  return text;
}

// The address that packets to the world would leave from. Connecting a UDP socket sends nothing.
std::string default_route_address() {
  const int probe = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return "";
  sockaddr_in away{};
  away.sin_family = AF_INET;
  away.sin_port = htons(9);
  inet_pton(AF_INET, "192.0.2.1", &away.sin_addr);  // an address that is kept for examples
  sockaddr_in mine{};
  socklen_t size = sizeof mine;
  const bool found = ::connect(probe, reinterpret_cast<sockaddr*>(&away), sizeof away) == 0 &&
                     ::getsockname(probe, reinterpret_cast<sockaddr*>(&mine), &size) == 0;
  ::close(probe);
  return found ? text_of(reinterpret_cast<sockaddr*>(&mine)) : "";
}

}  // namespace

bool is_loopback(const std::string& address) { return address.rfind("127.", 0) == 0; }

std::string reachable_address() {
  const char* wanted = std::getenv("TD_INTERFACE");
  if (!wanted || !*wanted) wanted = std::getenv("GLOO_SOCKET_IFNAME");
  if (!wanted || !*wanted) wanted = nullptr;
  if (!wanted)
    if (const std::string address = default_route_address();
        !address.empty() && !is_loopback(address))
      return address;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) list = nullptr;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, freeifaddrs);
  std::string names;
  for (const ifaddrs* entry = list; entry; entry = entry->ifa_next) {
    if (!entry->ifa_addr || entry->ifa_addr->sa_family != AF_INET) continue;
    names += std::string(names.empty() ? "" : ", ") + entry->ifa_name;
    const bool up = entry->ifa_flags & IFF_UP, loopback = entry->ifa_flags & IFF_LOOPBACK;
    if (wanted ? std::string(wanted) == entry->ifa_name : up && !loopback)
      return text_of(entry->ifa_addr);
  }
  TD_CHECK(Error, !wanted, "TD_INTERFACE=", wanted ? wanted : "",
           " names no network interface with an IPv4 address; this host has ", names);
  return "";
}

}  // namespace td::distributed
