// Stores, the messages of the coordination service, and the frames of its sockets.
#include <poll.h>

#include <filesystem>
#include <fstream>

#include "catch.h"
#include "distributed/coordination/coordination.h"
#include "distributed/rendezvous/host_info.h"
#include "td/base/error.h"
#include "thread_ranks.h"

using namespace td;
using namespace td::distributed;

TEST_CASE("a store keeps values with any bytes") {
  std::string folder = std::filesystem::temp_directory_path() / "td-store-XXXXXX";
  REQUIRE(::mkdtemp(folder.data()));
  const auto store = open_store("file://" + folder + "/deeper/down");
  CHECK_FALSE(store->get("a"));
  const std::string note("zero \0 and \n newline", 20);
  store->set("a", note);
  CHECK(store->get("a") == note);
  store->set("a", "");
  CHECK(store->get("a") == "");
  store->delete_key("a");
  CHECK_FALSE(store->get("a"));
  CHECK(std::filesystem::is_empty(folder + "/deeper/down"));
  std::ofstream(folder + "/file") << "in the way";
  CHECK_THROWS_WITH(open_store("file://" + folder + "/file"),
                    Catch::Contains("the ranks cannot meet in the folder " + folder + "/file: ") &&
                        Catch::Contains("give a folder that all ranks can write to"));
  std::filesystem::remove_all(folder);
}

TEST_CASE("messages are decoded as they were encoded, and other bytes are rejected") {
  RankState mine;
  mine.heartbeat.finished.sequence = 7;
  mine.heartbeat.collective.milliseconds = 30;
  mine.exchanges = 3;
  mine.text = std::string("\0\xff\n", 3);
  const std::string bytes = encode(mine);
  const RankState there = decode<RankState>(bytes);
  CHECK(there.heartbeat.finished == mine.heartbeat.finished);
  CHECK(there.heartbeat.collective.milliseconds == 30);
  CHECK(there.exchanges == 3);
  CHECK(there.text == mine.text);
  GroupState group;
  group.texts = {"", "a:b", std::string("\0\xff\n", 3)};
  CHECK(decode<GroupState>(encode(group)).texts == group.texts);
  for (const std::string& damaged : {std::string(), std::string("short"), bytes + "x",
                                     bytes.substr(0, bytes.size() - 1), encode(group)})
    CHECK_THROWS_WITH(decode<RankState>(damaged),
                      Catch::Contains("do all ranks run the same version?"));
}

TEST_CASE("messages arrive whole, in order and of any length, and the end is seen") {
  Listener listener("127.0.0.1");
  Socket here = Socket::connect("127.0.0.1", listener.port(), std::chrono::seconds(5));
  FileDescriptor accepted;
  while (!accepted) accepted = listener.accept();
  Socket there(std::move(accepted));
  const std::string large(3'000'000, 'x');
  here.send("");
  here.send(large);
  here.send("end");
  std::vector<std::string> got;
  while (got.size() < 3) {
    here.flush();
    for (std::string& message : there.receive()) got.push_back(std::move(message));
  }
  CHECK(got[0].empty());
  CHECK(got[1] == large);
  CHECK(got[2] == "end");
  CHECK_FALSE(there.closed());
  { const Socket gone = std::move(here); }
  while (!there.closed()) there.receive();
  CHECK_THROWS_WITH(Socket::connect("127.0.0.1", 1, std::chrono::seconds(5)),
                    "cannot connect to 127.0.0.1:1: Connection refused");
}

TEST_CASE("a wrong interface is an error that lists the existing ones") {
  setenv("TD_INTERFACE", "eth9", 1);
  CHECK_THROWS_WITH(reachable_address(), Catch::Contains("this host has lo"));
  setenv("TD_INTERFACE", "lo", 1);
  CHECK(reachable_address() == "127.0.0.1");
  unsetenv("TD_INTERFACE");
  CHECK(is_loopback("127.0.1.1"));
  CHECK_FALSE(is_loopback("10.0.0.1"));
}
