// Notes, the lists of texts that travel in them, and the frames of the coordination service's
// sockets.
#include <poll.h>
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

#include "distributed/coordination/coordination.h"
#include "distributed/rendezvous/host_info.h"
#include "td/base/error.h"
#include "thread_ranks.h"

using namespace td;
using namespace td::distributed;

TEST_CASE("a store keeps whole notes") {
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

TEST_CASE("lists of texts come back as they were, and nothing else is taken for one") {
  const std::vector<std::string> texts = {"", "a:b", std::string("\0\n", 2), "12:"};
  CHECK(split_texts(join_texts(texts)) == texts);
  CHECK(split_texts("").empty());
  for (const char* damaged : {"3:ab", "x", "1", "1:", "-1:a", "99999999999999999999:a", "1:ab"})
    CHECK_THROWS_AS(split_texts(damaged), Error);
  CHECK_THROWS_WITH(split_texts("1:a", 2), Catch::Contains("do all ranks run the same version?"));
  CHECK_THROWS_AS(decode_rank_state("short"), Error);
  CHECK_THROWS_AS(decode_rank_state(join_texts({"short", "", "", "", "0", ""})), Error);
}

TEST_CASE("messages arrive whole, in order and of any length, and the end is seen") {
  Listener listener("127.0.0.1");
  Socket here = Socket::connect(listener.address(), std::chrono::seconds(5));
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
  CHECK_THROWS_WITH(Socket::connect("127.0.0.1:1", std::chrono::seconds(5)),
                    "cannot connect to 127.0.0.1:1: Connection refused");
}

TEST_CASE("a wrong interface is refused with those that there are") {
  setenv("TD_INTERFACE", "eth9", 1);
  CHECK_THROWS_WITH(reachable_address(), Catch::Contains("this host has lo"));
  setenv("TD_INTERFACE", "lo", 1);
  CHECK(reachable_address() == "127.0.0.1");
  unsetenv("TD_INTERFACE");
  CHECK(is_loopback("127.0.1.1"));
  CHECK_FALSE(is_loopback("10.0.0.1"));
}
