// Ranks that are processes: how they join, and which errors the others get when one of them fails.
// Each rank is a hidden test case of this program, started with a launcher's variables.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <thread>

#include "catch.h"
#include "child_process.h"
#include "distributed/distributed.h"
#include "td/td.h"

using namespace td;
using namespace td::distributed;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

// A folder that is there as long as the test.
struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "td-meeting-XXXXXX";
    path = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string url() const { return "file://" + path.string(); }
  bool empty() const { return std::filesystem::is_empty(path); }
};

std::string as_rank(int rank, int world_size, const std::string& url) {
  return "RANK=" + std::to_string(rank) + " WORLD_SIZE=" + std::to_string(world_size) +
         " LOCAL_RANK=" + std::to_string(rank) + " LOCAL_WORLD_SIZE=" + std::to_string(world_size) +
         " TD_RENDEZVOUS=" + url + " ";
}

// Runs the hidden case in a process for each line of variables. `timeout` ends those that a test
// has stopped.
std::vector<test::ChildResult> run_ranks(const std::string& hidden,
                                         const std::vector<std::string>& environments) {
  std::vector<test::ChildResult> results(environments.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < environments.size(); ++i)
    threads.emplace_back(
        [&, i] { results[i] = test::run_child(hidden, environments[i] + "timeout -s KILL 20"); });
  for (auto& thread : threads) thread.join();
  return results;
}

std::vector<test::ChildResult> run_ranks(const std::string& hidden, int world_size,
                                         const std::string& url, const std::string& more = "") {
  std::vector<std::string> environments;
  for (int r = 0; r < world_size; ++r) environments.push_back(as_rank(r, world_size, url) + more);
  return run_ranks(hidden, environments);
}

// What a rank prints after Catch's own lines.
std::string said_by(const test::ChildResult& result) {
  std::string text = result.output;
  while (text.rfind("Filters: ", 0) == 0 || text.rfind("Randomness seeded to: ", 0) == 0)
    text.erase(0, text.find('\n') + 1);
  return text;
}

// What a rank prints after "error: ", up to the line's end.
std::string error_in(const test::ChildResult& result) {
  const auto at = result.output.find("error: ");
  if (at == std::string::npos) return "no error in: " + result.output;
  return result.output.substr(at + 7, result.output.find('\n', at) - at - 7);
}

// The work of a rank: prints its errors and how long they took to arrive, and ends the process, so
// that Catch prints nothing.
[[noreturn]] void as_process(const std::function<void()>& work, InitOptions options = {}) {
  auto start = Clock::now();
  try {
    init_process_group("gloo", "env:", options);
    start = Clock::now();
    work();
    destroy_process_group();
    std::cout << "fine" << std::endl;
    std::_Exit(0);
  } catch (const std::exception& e) {
    const auto waited = std::chrono::duration_cast<milliseconds>(Clock::now() - start);
    std::cout << "error: " << e.what() << "\nafter " << waited.count() << " ms" << std::endl;
    destroy_process_group();
    std::_Exit(3);
  }
}

void reduce_steps(int steps) {
  for (int i = 0; i < steps; ++i) {
    Tensor t = full({5000}, get_rank() + 1.0);
    all_reduce(t);
    const int n = get_world_size();
    TD_CHECK(Error, t[4999].item<int>() == n * (n + 1) / 2, "wrong sum");
  }
}

}  // namespace

TEST_CASE("rank: reduces", "[.child]") {
  as_process([] {
    reduce_steps(10);
    std::cout << "transport " << default_group().transport() << std::endl;
  });
}

TEST_CASE("processes join in a directory, reduce, and leave it as it was", "[processes]") {
  for (const char* transport : {"gloo", "shm"}) {
    const Folder folder;
    for (const auto& result : run_ranks("rank: reduces", 3, folder.url(),
                                        std::string("TD_TRANSPORT=") + transport + " ")) {
      CHECK(result.exit_code == 0);
      CHECK(said_by(result) == std::string("transport ") +
                                   (*transport == 'g' ? "gloo" : "shared memory") + "\nfine\n");
    }
    CHECK(folder.empty());
  }
}

TEST_CASE("rank: may meet nobody", "[.child]") {
  InitOptions options;
  options.timeout = milliseconds(1500);
  as_process([] { reduce_steps(1); }, options);
}

TEST_CASE("ranks that joined get an error that names the missing rank and the directory",
          "[processes]") {
  const Folder folder;
  const auto results = run_ranks("rank: may meet nobody",
                                 {as_rank(0, 3, folder.url()), as_rank(1, 3, folder.url())});
  CHECK(
      error_in(results[0]) ==
      "rank 2 of 3 did not come within 1500 ms: all ranks must start, and meet at the folder " +
          folder.path.string() +
          ". Look at the missing rank's own output, or start all by ./course launch -n 3 PROGRAM");
  CHECK(error_in(results[1]) == error_in(results[0]));
  const auto alone = run_ranks("rank: may meet nobody", {as_rank(1, 2, "file:///tmp/nobody")});
  CHECK(error_in(alone[0]).find("rank 0 of 2 did not come within 1500 ms: ") == 0);
  std::filesystem::remove_all("/tmp/nobody");
}

TEST_CASE("ranks with different world sizes all get an error", "[processes]") {
  const Folder folder;
  const auto results = run_ranks("rank: may meet nobody",
                                 {as_rank(0, 2, folder.url()), as_rank(1, 3, folder.url())});
  CHECK(
      error_in(results[0]) ==
      "the ranks do not agree on how many they are: rank 0 says 2, rank 1 says 3. WORLD_SIZE must "
      "be the same for all");
  CHECK(error_in(results[1]) == error_in(results[0]));
}

TEST_CASE("a rank that joins a moment after an error gets the error, too", "[processes]") {
  const Folder folder;
  const auto results = run_ranks(
      "rank: may meet nobody", {as_rank(0, 3, folder.url()), as_rank(1, 4, folder.url()),
                                as_rank(2, 3, folder.url()) + "sh -c 'sleep 0.3; exec \"$@\"' - "});
  CHECK(
      error_in(results[0]) ==
      "the ranks do not agree on how many they are: rank 0 says 3, rank 1 says 4. WORLD_SIZE must "
      "be the same for all");
  CHECK(error_in(results[1]) == error_in(results[0]));
  CHECK(error_in(results[2]) == error_in(results[0]));
}

TEST_CASE("two processes with one rank number get an error, and so do all others", "[processes]") {
  for (const int twin : {0, 1}) {
    const Folder folder;
    const auto results = run_ranks(
        "rank: may meet nobody",
        {as_rank(0, 3, folder.url()), as_rank(1, 3, folder.url()), as_rank(twin, 3, folder.url())});
    const std::string text = error_in(results[0]);
    CHECK(text.find("two processes say that they are rank " + std::to_string(twin) +
                    ": process ") == 0);
    // A rank that joins after the error gets the same error.
    CHECK_THAT(error_in(results[1]), Catch::Contains(text));
    CHECK_THAT(error_in(results[2]), Catch::Contains(text));
  }
}

TEST_CASE("files that an earlier run left in the directory change nothing", "[processes]") {
  const Folder folder;
  // Two runs that end in errors leave their files; ranks 1 and 2 start before the new rank 0.
  run_ranks("rank: may meet nobody", {as_rank(0, 3, folder.url()), as_rank(1, 3, folder.url())});
  run_ranks("rank: may meet nobody", {as_rank(0, 3, folder.url()), as_rank(2, 3, folder.url())});
  REQUIRE_FALSE(folder.empty());
  const auto results =
      run_ranks("rank: reduces", {as_rank(0, 3, folder.url()) + "sh -c 'sleep 0.3; exec \"$@\"' - ",
                                  as_rank(1, 3, folder.url()), as_rank(2, 3, folder.url())});
  for (const auto& result : results) CHECK(said_by(result) == "transport shared memory\nfine\n");
}

TEST_CASE("rank: rank 1 is killed", "[.child]") {
  as_process([] {
    reduce_steps(3);
    if (get_rank() == 1) {
      std::this_thread::sleep_for(milliseconds(100));
      raise(SIGKILL);
    }
    reduce_steps(1);
  });
}

TEST_CASE("a rank that is killed is named by all others within a second", "[processes]") {
  for (const char* transport : {"gloo", "shm"}) {
    const Folder folder;
    const auto results = run_ranks("rank: rank 1 is killed", 4, folder.url(),
                                   std::string("TD_TRANSPORT=") + transport + " ");
    CHECK(results[1].exit_code == 128 + SIGKILL);
    const std::string text = error_in(results[0]);
    INFO(transport << ": " << text);
    CHECK(text.find("rank 1 (process ") == 0);
    CHECK(text.find(") is gone: it was killed, crashed or ended without leaving the group. Its own "
                    "output may say why") != std::string::npos);
    for (const int r : {0, 2, 3}) {
      CHECK(results[r].exit_code == 3);
      CHECK(error_in(results[r]) == text);
      const auto at = results[r].output.find("\nafter ");
      REQUIRE(at != std::string::npos);
      CHECK(std::stoi(results[r].output.substr(at + 7)) < 1500);  // 100 of them before the kill
    }
  }
}

TEST_CASE("rank: rank 0 is killed", "[.child]") {
  as_process([] {
    reduce_steps(3);
    if (get_rank() == 0) raise(SIGKILL);
    reduce_steps(1);
  });
}

TEST_CASE("rank 0 is named like any other rank when it is killed", "[processes]") {
  const Folder folder;
  const auto results = run_ranks("rank: rank 0 is killed", 3, folder.url());
  CHECK(error_in(results[1]).find("rank 0 (process ") == 0);
  CHECK(error_in(results[2]) == error_in(results[1]));
}

TEST_CASE("rank: one rank is stopped", "[.child]") {
  InitOptions options;
  options.heartbeat_timeout = milliseconds(500);
  as_process(
      [] {
        reduce_steps(3);
        if (get_rank() == std::atoi(std::getenv("TD_TEST_STOPPED"))) {
          // A stopped process reacts only to SIGKILL, so its timeout sends that signal.
          sigevent event{};
          event.sigev_notify = SIGEV_SIGNAL;
          event.sigev_signo = SIGKILL;
          timer_t timer{};
          itimerspec when{};
          when.it_value.tv_sec = 2;
          if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) std::_Exit(9);
          timer_settime(timer, 0, &when, nullptr);
          raise(SIGSTOP);
        }
        reduce_steps(1);
      },
      options);
}

TEST_CASE("a rank that is stopped is named after the heartbeat timeout", "[processes]") {
  for (const int stopped : {0, 1}) {
    const Folder folder;
    const auto results = run_ranks("rank: one rank is stopped", 3, folder.url(),
                                   "TD_TEST_STOPPED=" + std::to_string(stopped) + " ");
    const std::string text = error_in(results[2]);
    CHECK(text.find("rank " + std::to_string(stopped) + " (process ") == 0);
    CHECK(text.find(") has been silent for 500 ms: it is stopped, or its host or the network to it "
                    "is down") != std::string::npos);
    CHECK(error_in(results[1 - stopped]) == text);
  }
}

TEST_CASE("rank: rank 1 ends without a word", "[.child]") {
  init_process_group("gloo");
  const bool exits = std::string(std::getenv("TD_TEST_END")) == "exit";
  if (get_rank() == 1 && exits) std::exit(5);
  if (get_rank() == 1) std::thread([] { throw Error("nobody catches this"); }).join();
  try {
    all_reduce(zeros({10}));
  } catch (const Error& e) {
    std::cout << "error: " << e.what() << std::endl;
  }
  std::exit(0);  // the group is still there: the program's end must end it
}

TEST_CASE("a rank that ends the program or throws does not leave other ranks waiting",
          "[processes]") {
  for (const std::string end : {"exit", "exception"}) {
    const Folder folder;
    const auto results =
        run_ranks("rank: rank 1 ends without a word", 3, folder.url(), "TD_TEST_END=" + end + " ");
    INFO(end << ": " << results[1].output);
    CHECK(results[1].exit_code == (end == "exit" ? 5 : 128 + SIGABRT));
    const std::string expected =
        end == "exit" ? "rank 1 has left the group while rank " : "rank 1 (";
    CHECK(error_in(results[0]).find(expected) == 0);
    CHECK(error_in(results[2]) == error_in(results[0]));
    for (const int r : {0, 2}) CHECK(results[r].exit_code == 0);
  }
}

TEST_CASE("locations where ranks cannot join are an error that says what to do", "[processes]") {
  const auto text_of = [](const std::string& url, const std::string& more = "") {
    return error_in(run_ranks("rank: may meet nobody", {as_rank(0, 2, url) + more})[0]);
  };
  CHECK(
      text_of("http://somewhere") ==
      "init_process_group: \"http://somewhere\" is no place to meet; expected \"file:///folder\", "
      "\"redis://host:port\", \"pmix:\" under mpirun or srun, or \"env:\" for what the launcher "
      "says");
  CHECK(text_of("file:///proc/nothing")
            .find("init_process_group: the ranks cannot meet in the folder /proc/nothing: ") == 0);
  CHECK(
      text_of("file://folder") ==
      "init_process_group: the ranks cannot meet in the folder \"folder\": its path does not begin "
      "with a slash; give a folder that all ranks can write to, as file:///folder");
  CHECK(text_of("redis://127.0.0.1:1") ==
        "init_process_group: no Redis server answers at 127.0.0.1:1: Connection refused; start one "
        "with: redis-server --port 1 --bind 0.0.0.0 --protected-mode no");
  CHECK(text_of("redis://127.0.0.1:port") ==
        "init_process_group: \"redis://127.0.0.1:port\" names no Redis server; expected "
        "\"redis://host:port\"");
  CHECK(text_of("") ==
        "init_process_group: this is rank 0 of 2, but nothing says where the ranks meet: start the "
        "program by ./course launch -n 2 PROGRAM, or give a url such as \"file:///folder\" or "
        "\"redis://host:port\", also in TD_RENDEZVOUS");
}

TEST_CASE("an option that only one rank sets is an error on all ranks", "[processes]") {
  {
    const Folder folder;
    const auto results = run_ranks(
        "rank: reduces",
        {as_rank(0, 2, folder.url()), as_rank(1, 2, folder.url()) + "TD_TRANSPORT=gloo "});
    CHECK(error_in(results[0]) ==
          "TD_TRANSPORT is \"\" on rank 0 but \"gloo\" on rank 1; all ranks need the same");
    CHECK(error_in(results[1]) == error_in(results[0]));
  }
  const Folder folder;
  const auto results =
      run_ranks("rank: reduces",
                {as_rank(0, 2, folder.url()), as_rank(1, 2, folder.url()) + "TD_INTERFACE=eth9 "});
  CHECK(error_in(results[0]).find("rank 1 (process ") == 0);
  CHECK(error_in(results[0])
            .find("): TD_INTERFACE=eth9 names no network interface with an IPv4 "
                  "address; this host has ") != std::string::npos);
  CHECK(error_in(results[1]) == error_in(results[0]));
}

TEST_CASE("a backend that does not exist is an error", "[processes]") {
  CHECK_THROWS_WITH(init_process_group("mpi"),
                    "init_process_group: \"mpi\" is no backend; expected \"gloo\" for cpu and sim "
                    "tensors or \"nccl\" for cuda tensors");
}
