// What the kernel reports under /proc and of its network interfaces.
#include "distributed/rendezvous/host_info.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <memory>

#include "distributed/launch/environment.h"
#include "os/file.h"
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
  const FileDescriptor probe(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!probe) return "";
  sockaddr_in away{};
  away.sin_family = AF_INET;
  away.sin_port = htons(9);
  inet_pton(AF_INET, "192.0.2.1", &away.sin_addr);  // an address that is kept for examples
  sockaddr_in mine{};
  socklen_t size = sizeof mine;
  const bool found = ::connect(probe.get(), reinterpret_cast<sockaddr*>(&away), sizeof away) == 0 &&
                     ::getsockname(probe.get(), reinterpret_cast<sockaddr*>(&mine), &size) == 0;
  return found ? text_of(reinterpret_cast<sockaddr*>(&mine)) : "";
}

}  // namespace

HostInfo read_host_info() {
  HostInfo info;
  char text[256] = "";
  if (gethostname(text, sizeof text - 1) == 0) info.hostname = text;
  std::ifstream boot("/proc/sys/kernel/random/boot_id");
  std::getline(boot, info.boot_id);
  const ssize_t length = readlink("/proc/self/ns/net", text, sizeof text);
  if (length > 0) info.network_namespace.assign(text, static_cast<std::size_t>(length));
  info.pid = getpid();
  return info;
}

std::string describe(int rank, const HostInfo& host) {
  return "rank " + std::to_string(rank) + " (process " + std::to_string(host.pid) + " on " +
         host.hostname + ")";
}

bool same_host(const HostInfo& a, const HostInfo& b) {
  return !a.boot_id.empty() && a.hostname == b.hostname && a.boot_id == b.boot_id &&
         a.network_namespace == b.network_namespace;
}

bool is_loopback(const std::string& address) { return address.rfind("127.", 0) == 0; }

std::string reachable_address() {
  std::string wanted = variable("TD_INTERFACE");
  if (wanted.empty()) wanted = variable("GLOO_SOCKET_IFNAME");
  if (wanted.empty())
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
    if (wanted.empty() ? up && !loopback : wanted == entry->ifa_name)
      return text_of(entry->ifa_addr);
  }
  TD_CHECK(Error, wanted.empty(), "TD_INTERFACE=", wanted,
           " names no network interface with an IPv4 address; this host has ", names);
  return "";
}

}  // namespace td::distributed
