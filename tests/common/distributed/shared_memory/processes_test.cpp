// Ranks that are processes: this program starts itself again for each rank, and one of them is
// killed while all are reducing.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "catch.h"
#include "distributed/collective.h"
#include "distributed/transport/shared_segment.h"
#include "td/base/error.h"

using namespace td;
using namespace td::distributed;

namespace {

constexpr int kRanks = 3;

/// A directory in which processes exchange texts.
class Folder {
 public:
  explicit Folder(std::string path) : path_(std::move(path)) {}
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/" + name + ".part") << text;
    std::filesystem::rename(path_ + "/" + name + ".part", path_ + "/" + name);
  }
  std::string wait_for(const std::string& name) const {
    for (int i = 0; i < 2000; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(10))) {
      std::ifstream file(path_ + "/" + name);
      if (!file) continue;
      std::ostringstream text;
      text << file.rdbuf();
      return text.str();
    }
    throw Error("nobody wrote " + name);
  }

 private:
  std::string path_;
};

// Reduces in place and through the stage by turns. Element i of the sum is known.
void reduce_until_stopped(Transport& transport, int rank, const Folder& folder) {
  constexpr std::int64_t kNumel = 100'000;
  std::vector<std::int64_t> outside(kNumel);
  const auto memory = transport.allocate_shared(kNumel * 8);
  auto* const shared = static_cast<std::int64_t*>(memory.get());
  CollectiveFingerprint key;
  key.type = CollectiveType::kAllReduce;
  key.numel = kNumel;
  key.dtype = kLong;
  for (std::uint64_t call = 1;; ++call) {
    std::int64_t* const data = call % 2 ? shared : outside.data();
    for (std::int64_t i = 0; i < kNumel; ++i) data[i] = (rank + 1) * (i + static_cast<int>(call));
    key.sequence = call;
    transport.all_reduce(key, data);
    for (std::int64_t i = 0; i < kNumel; ++i)
      if (data[i] != 6 * (i + static_cast<int>(call))) throw Error("a wrong sum");
    if (call == 20) folder.write("running." + std::to_string(rank), "");
  }
}

pid_t start_rank(int rank, const std::string& folder) {
  const pid_t pid = fork();
  if (pid) return pid;
  setenv("TD_TEST_RANK", std::to_string(rank).c_str(), 1);
  setenv("TD_TEST_FOLDER", folder.c_str(), 1);
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, 1);
  execl("/proc/self/exe", "rank", "one rank of three", nullptr);
  _exit(127);
}

}  // namespace

TEST_CASE("one rank of three", "[.rank]") {
  alarm(60);  // a rank must not outlive a test that was ended
  const int rank = std::atoi(std::getenv("TD_TEST_RANK"));
  const Folder folder(std::getenv("TD_TEST_FOLDER"));
  int round = 0;
  const Exchange exchange = [&](const std::string& mine) {
    const std::string name = "round" + std::to_string(round++) + ".";
    folder.write(name + std::to_string(rank), mine);
    std::vector<std::string> all;
    for (int r = 0; r < kRanks; ++r) all.push_back(folder.wait_for(name + std::to_string(r)));
    return all;
  };
  const SharedMemory shared =
      join_shared_memory({rank, std::vector<HostInfo>(kRanks, read_host_info()), exchange});
  if (!shared.transport) return folder.write("error." + std::to_string(rank), shared.why_not);
  // What the coordination service does.
  std::thread([&] { shared.transport->abort(folder.wait_for("verdict")); }).detach();
  try {
    reduce_until_stopped(*shared.transport, rank, folder);
  } catch (const Error& e) {
    folder.write("error." + std::to_string(rank), e.what());
  }
  _exit(0);  // the watching thread may still be at it
}

TEST_CASE("a rank that is killed while it reduces ends the others") {
  char pattern[] = "/tmp/td_shared_memory_test_XXXXXX";
  const std::string path = mkdtemp(pattern);
  const Folder folder(path);
  std::vector<pid_t> ranks;
  for (int r = 0; r < kRanks; ++r) ranks.push_back(start_rank(r, path));
  std::string trouble;
  try {
    for (int r = 0; r < kRanks; ++r) folder.wait_for("running." + std::to_string(r));
  } catch (const Error& e) {
    trouble = e.what();
  }
  kill(ranks[1], SIGKILL);
  waitpid(ranks[1], nullptr, 0);
  const auto killed = std::chrono::steady_clock::now();
  folder.write("verdict", "rank 1 has been killed");
  for (const int r : {0, 2}) {
    if (!trouble.empty()) kill(ranks[r], SIGKILL);
    waitpid(ranks[r], nullptr, 0);
  }
  const auto end = std::chrono::steady_clock::now();
  REQUIRE(trouble == "");
  CHECK(std::chrono::duration<double>(end - killed).count() < 5);
  CHECK(folder.wait_for("error.0") == "rank 1 has been killed");
  CHECK(folder.wait_for("error.2") == "rank 1 has been killed");
  std::filesystem::remove_all(path);
}
