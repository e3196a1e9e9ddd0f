// What ranks report about their hosts, and when two of these count as one host.
#include <unistd.h>

#include "catch.h"
#include "distributed/coordination/messages.h"
#include "td/base/error.h"

using namespace td;
using namespace td::distributed;

TEST_CASE("a process knows its host, and the host facts can be sent as text") {
  const HostInfo mine = read_host_info();
  CHECK(mine.pid == getpid());
  CHECK(mine.boot_id.size() == 36);
  CHECK(mine.network_namespace.find("net:[") == 0);
  const HostInfo there = decode<RollCall>(encode(RollCall{"", {mine}})).hosts.at(0);
  CHECK(there.hostname == mine.hostname);
  CHECK(there.boot_id == mine.boot_id);
  CHECK(there.network_namespace == mine.network_namespace);
  CHECK(there.pid == mine.pid);
}

TEST_CASE("one host has one name, one boot of the kernel and one network namespace") {
  const HostInfo a{"alpha", "b1", "net:[1]", 10};
  HostInfo b = a;
  b.pid = 11;
  CHECK(same_host(a, b));
  b.hostname = "beta";
  CHECK_FALSE(same_host(a, b));
  b = a;
  b.boot_id = "b2";
  CHECK_FALSE(same_host(a, b));
  b = a;
  b.network_namespace = "net:[2]";
  CHECK_FALSE(same_host(a, b));
  const HostInfo unknown;
  CHECK_FALSE(same_host(unknown, unknown));
}

TEST_CASE("text that is not host facts is rejected") {
  for (const char* text : {"", "alpha", "a\nb\nc\n", "a\nb\nc\n12x", "a\nb\nc\n1\n2"})
    CHECK_THROWS_WITH(decode<RollCall>(text), Catch::Contains("do all ranks run the same version"));
}
