// What the kernel says under /proc, and the form in which it travels.
#include "distributed/rendezvous/host_facts.h"

#include <unistd.h>

#include <charconv>
#include <fstream>

#include "td/base/error.h"

namespace td::distributed {

HostFacts read_host_facts() {
  HostFacts facts;
  char text[256] = "";
  if (gethostname(text, sizeof text - 1) == 0) facts.hostname = text;
  std::ifstream boot("/proc/sys/kernel/random/boot_id");
  std::getline(boot, facts.boot_id);
  const ssize_t length = readlink("/proc/self/ns/net", text, sizeof text);
  if (length > 0) facts.network_namespace.assign(text, static_cast<std::size_t>(length));
  facts.pid = getpid();
  return facts;
}

// One fact a line: none of them can hold a line's end.
std::string encode(const HostFacts& facts) {
  return facts.hostname + '\n' + facts.boot_id + '\n' + facts.network_namespace + '\n' +
         std::to_string(facts.pid);
}

HostFacts decode_host_facts(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  }
  HostFacts facts;
  const bool whole = lines.size() == 4;
  const std::string pid = whole ? lines[3] : "";
  const auto end = std::from_chars(pid.data(), pid.data() + pid.size(), facts.pid);
  TD_CHECK(Error, whole && end.ec == std::errc() && end.ptr == pid.data() + pid.size(),
           "a rank says of its host \"", text,
           "\", which this program does not understand: do all ranks run the same version?");
  facts.hostname = lines[0];
  facts.boot_id = lines[1];
  facts.network_namespace = lines[2];
  return facts;
}

bool same_host(const HostFacts& a, const HostFacts& b) {
  return !a.boot_id.empty() && a.hostname == b.hostname && a.boot_id == b.boot_id &&
         a.network_namespace == b.network_namespace;
}

}  // namespace td::distributed
