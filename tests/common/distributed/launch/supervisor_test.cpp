// Ranks that print, fail, ignore signals and leave children behind, and a launcher that is killed.
// The programs are shell scripts, because only the launcher is tested.
#include "distributed/launch/supervisor.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "catch.h"
#include "child_process.h"
#include "td/base/error.h"
#include "td/base/parallel.h"

using namespace std::chrono_literals;
using Catch::Contains;
using td::distributed::LaunchConfig;
using td::distributed::LaunchResult;

namespace {

struct Result {
  LaunchResult ending;
  std::string output, errors;
};

LaunchConfig shell(const std::string& script, int nprocs) {
  LaunchConfig launch;
  launch.words = {"sh", "-c", script};
  launch.nprocs = nprocs;
  launch.last_words = 100ms;
  launch.patience = 300ms;
  return launch;
}

Result run(LaunchConfig launch) {
  std::ostringstream output, errors;
  launch.output = &output;
  launch.errors = &errors;
  const LaunchResult ending = td::distributed::supervise(launch);
  return {ending, output.str(), errors.str()};
}

std::multiset<std::string> lines(const std::string& text) {
  std::multiset<std::string> found;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) found.insert(line);
  return found;
}

/// The value that a rank printed as "[0] name=value".
std::string printed(const std::string& output, const std::string& name) {
  const auto from = output.find(name + "=");
  if (from == std::string::npos) return "";
  const auto begin = from + name.size() + 1;
  return output.substr(begin, output.find('\n', begin) - begin);
}

/// The processes whose environment holds "MARK=<mark>".
std::vector<std::string> processes_with(const std::string& mark) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "environ", std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(file), {}};
    if (all.find("MARK=" + mark) != std::string::npos) found.push_back(entry.path().string());
  }
  return found;
}

/// A mark that no other launch has; its ranks and what they start carry it in their environment.
std::string mark(LaunchConfig& launch) {
  static int marks = 0;
  const std::string mark = std::to_string(getpid()) + "-" + std::to_string(++marks) + "x";
  launch.environment.emplace_back("MARK", mark);
  return mark;
}

/// Waits, because a killed process takes a moment to vanish.
bool all_gone(const std::string& mark) {
  for (int i = 0; i < 500; ++i) {
    if (processes_with(mark).empty()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

}  // namespace

TEST_CASE("ranks get torchrun's variables, and a rendezvous directory that is removed afterwards") {
  LaunchConfig launch = shell("env | sort | sed \"s/^/$RANK /\"", 2);
  launch.prefix = false;
  const Result result = run(launch);
  CHECK(result.ending.exit_code == 0);
  CHECK(result.ending.failure.empty());
  const auto found = lines(result.output);
  for (const std::string rank : {"0", "1"})
    for (const std::string& line :
         {"RANK=" + rank, "LOCAL_RANK=" + rank, "ROLE_RANK=" + rank, std::string("WORLD_SIZE=2"),
          std::string("LOCAL_WORLD_SIZE=2"), std::string("GROUP_RANK=0"),
          std::string("GROUP_WORLD_SIZE=1"), std::string("ROLE_WORLD_SIZE=2"),
          std::string("MASTER_ADDR=127.0.0.1"), std::string("TORCHELASTIC_RESTART_COUNT=0")})
      CHECK(found.count(rank + " " + line) == 1);
  const std::string meeting = printed(result.output, "TD_RENDEZVOUS");
  CHECK_THAT(meeting, Catch::StartsWith("file:///"));
  CHECK_FALSE(std::filesystem::exists(meeting.substr(7)));
  CHECK_FALSE(printed(result.output, "TORCHELASTIC_RUN_ID").empty());
}

TEST_CASE("the cores are divided among the ranks, unless the user has decided") {
  const char* set = getenv("OMP_NUM_THREADS");
  const std::string before = set ? set : "";
  unsetenv("OMP_NUM_THREADS");
  const std::string script = "echo threads=$OMP_NUM_THREADS";
  CHECK(printed(run(shell(script, 1)).output, "threads") == std::to_string(td::core_count()));
  CHECK(printed(run(shell(script, td::core_count() + 1)).output, "threads") == "1");
  setenv("OMP_NUM_THREADS", "7", 1);
  CHECK(printed(run(shell(script, 2)).output, "threads") == "7");
  set ? setenv("OMP_NUM_THREADS", before.c_str(), 1) : unsetenv("OMP_NUM_THREADS");
}

TEST_CASE("several hosts: rank numbers continue from the host before") {
  LaunchConfig launch = shell(
      "echo $RANK $LOCAL_RANK $GROUP_RANK $WORLD_SIZE $TD_RENDEZVOUS "
      "$TORCHELASTIC_RUN_ID \"$MASTER_ADDR\"",
      2);
  launch.nnodes = 3;
  launch.node_rank = 2;
  CHECK_THROWS_WITH(run(launch), Contains("several hosts need a rendezvous and a run id"));
  launch.rendezvous = "redis://host:6379";
  launch.run_id = "monday";
  CHECK(lines(run(launch).output) ==
        std::multiset<std::string>{"[4] 4 0 2 6 redis://host:6379 monday ",
                                   "[5] 5 1 2 6 redis://host:6379 monday "});
  launch.max_restarts = 1;
  CHECK_THROWS_WITH(run(launch), Contains("restarts are for one host"));
}

TEST_CASE("output keeps whole lines, its own stream, and a last line without a newline") {
  const Result mixed = run(shell("printf 'one\\ntwo'; printf 'first\\nsecond' >&2", 2));
  CHECK(lines(mixed.output) ==
        std::multiset<std::string>{"[0] one", "[0] two", "[1] one", "[1] two"});
  CHECK(lines(mixed.errors) ==
        std::multiset<std::string>{"[0] first", "[0] second", "[1] first", "[1] second"});
  const std::string long_line(3000, 'x');
  const Result many = run(shell(
      "i=0; while [ $i -lt 300 ]; do echo $RANK$RANK " + long_line + "; i=$((i+1)); done", 3));
  std::multiset<std::string> expected;
  for (const std::string rank : {"0", "1", "2"})
    for (int i = 0; i < 300; ++i)
      expected.insert("[" + rank + "] " + rank + rank + " " + long_line);
  CHECK((lines(many.output) == expected));
}

TEST_CASE("the first failure is named, sets the exit code, and ends the other ranks") {
  const Result code = run(shell("[ $RANK = 1 ] && echo cause >&2 && exit 3; exec sleep 60", 3));
  CHECK(code.ending.exit_code == 3);
  CHECK_THAT(code.ending.failure,
             Catch::Matches(R"(rank 1 of 3 ended with exit code 3 after [0-9]+\.[0-9] s)"));
  CHECK(code.errors == "[1] cause\nlaunch: " + code.ending.failure + "\n");
  const Result signal = run(shell("[ $RANK = 0 ] && kill -SEGV $$; exec sleep 60", 2));
  CHECK(signal.ending.exit_code == 128 + SIGSEGV);
  CHECK_THAT(signal.ending.failure,
             Contains("rank 0 of 2 was killed by signal 11 (SIGSEGV) after"));
}

TEST_CASE("of two failures the first is named, even if both are seen at the same time") {
  // The launcher cannot see rank 1's failure immediately, because it is stopped until both have
  // ended. Rank 1 always ends first, after the launcher has begun to watch.
  const Result result = run(shell(
      R"(launcher=$PPID
         case $RANK in
           0) while [ ! -e "${TD_RENDEZVOUS#file://}dying" ]; do sleep 0.01; done; sleep 0.3; exit 5 ;;
           1) sleep 0.3; (sleep 0.8; kill -CONT $launcher) & kill -STOP $launcher
              : >"${TD_RENDEZVOUS#file://}dying"; exit 6 ;;
         esac)",
      2));
  CHECK(result.ending.exit_code == 6);
  CHECK_THAT(result.ending.failure, Contains("rank 1 of 2 ended with exit code 6"));
}

TEST_CASE("a killed rank is the cause, even if a rank that noticed it ends earlier") {
  const Result result =
      run(shell("[ $RANK = 0 ] && exit 1; [ $RANK = 1 ] && exit 2; sleep 0.1; kill -KILL $$", 3));
  CHECK(result.ending.exit_code == 137);
  CHECK(result.errors == "launch: " + result.ending.failure + "\n");
  CHECK_THAT(result.ending.failure, Contains("rank 2 of 3 was killed by signal 9 (SIGKILL) after"));
}

TEST_CASE("a rank that hangs is named when another rank fails") {
  const Result result = run(
      shell("[ $RANK = 1 ] && kill -STOP $$; [ $RANK = 0 ] && sleep 0.2 && exit 1; sleep 60", 3));
  CHECK(result.ending.exit_code == 1);
  CHECK(
      result.errors ==
      "launch: " + result.ending.failure +
          "\nlaunch: rank 1 of 3 stands still: it was stopped by a signal (SIGSTOP, SIGTSTP) or a "
          "debugger\n");
}

TEST_CASE("the other ranks can print their own errors before they are asked to end") {
  LaunchConfig launch =
      shell("[ $RANK = 1 ] && exit 1; sleep 0.3; echo rank 1 is gone >&2; exit 2", 2);
  launch.last_words = 30s;
  const Result result = run(launch);
  CHECK_THAT(result.errors, Contains("[0] rank 1 is gone"));
  CHECK(result.ending.exit_code == 1);
}

TEST_CASE("a rank that ignores SIGTERM is ended nevertheless") {
  const std::string others[] = {"trap '' TERM; while :; do sleep 1; done", "kill -STOP $$"};
  for (const std::string& other : others) {
    LaunchConfig launch = shell("[ $RANK = 1 ] && exit 2; " + other, 3);
    const std::string marked = mark(launch);
    CHECK(run(launch).ending.exit_code == 2);
    CHECK(processes_with(marked).empty());
  }
}

TEST_CASE("processes of ranks end with them: in their group, in another session, detached") {
  const std::string leave_behind = "sleep 600 & setsid sleep 600 & setsid setsid sleep 600 & ";
  for (const std::string end : {"exit 0", "exit 4", "kill -KILL $$"}) {
    LaunchConfig launch = shell(leave_behind + end, 2);
    const std::string marked = mark(launch);
    run(launch);
    CHECK(processes_with(marked).empty());
  }
}

TEST_CASE("restarts: all ranks start again, with a restart count and a new directory") {
  LaunchConfig launch = shell(
      "echo count=$TORCHELASTIC_RESTART_COUNT of $TORCHELASTIC_MAX_RESTARTS;"
      "here=${TD_RENDEZVOUS#file://}; ls $here | wc -l; : >$here/stale;"
      "[ $TORCHELASTIC_RESTART_COUNT = 2 ] || exit 1",
      1);
  launch.max_restarts = 3;
  const Result result = run(launch);
  CHECK(result.ending.exit_code == 0);
  CHECK(result.output ==
        "[0] count=0 of 3\n[0] 0\n[0] count=1 of 3\n[0] 0\n[0] count=2 of 3\n[0] 0\n");
  CHECK_THAT(result.errors, Contains("launch: all ranks are started again (restart 1 of 3)\n") &&
                                Contains("launch: all ranks are started again (restart 2 of 3)\n"));
  launch.max_restarts = 1;
  CHECK(run(launch).ending.exit_code == 1);
}

TEST_CASE("Ctrl-C and SIGTERM end all ranks and are the exit code") {
  struct sigaction before {
  }, now{};
  sigaction(SIGTERM, nullptr, &before);
  const Result interrupted = run(shell("[ $RANK = 0 ] && kill -INT $PPID; exec sleep 60", 2));
  CHECK(interrupted.ending.exit_code == 130);
  CHECK(interrupted.ending.stopped_by == SIGINT);
  CHECK(interrupted.ending.failure.empty());
  CHECK(interrupted.errors == "launch: stopped by SIGINT; ending 2 ranks\n");
  LaunchConfig launch = shell("trap '' TERM; kill -TERM $PPID; while :; do sleep 1; done", 1);
  launch.max_restarts = 5;
  const Result terminated = run(launch);
  CHECK(terminated.ending.exit_code == 143);
  // The process has its own handler again.
  sigaction(SIGTERM, nullptr, &now);
  CHECK((now.sa_handler == before.sa_handler));
}

TEST_CASE("a second Ctrl-C does not wait for the ranks") {
  LaunchConfig launch = shell(
      "trap '' INT; echo ready; kill -INT $PPID; sleep 0.2; kill -INT $PPID; while :; do sleep 1; "
      "done",
      1);
  launch.patience = std::chrono::hours(1);
  const Result result = run(launch);
  CHECK(result.ending.exit_code == 130);
  CHECK(result.errors == "launch: stopped by SIGINT; ending 1 rank\n");
}

TEST_CASE("a broken pipe ends a rank, even if its launcher ignores SIGPIPE") {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  const Result result = run(shell("kill -PIPE $$; exit 1", 1));
  std::signal(SIGPIPE, before);
  CHECK(result.ending.exit_code == 128 + SIGPIPE);
}

TEST_CASE("a program that cannot be started is named") {
  LaunchConfig launch = shell("", 2);
  launch.words = {"/no/such/program"};
  CHECK_THROWS_WITH(run(launch), "cannot start /no/such/program: No such file or directory");
  launch.words = {"/etc"};
  CHECK_THROWS_WITH(run(launch), "cannot start /etc: Permission denied");
  launch.words.clear();
  CHECK_THROWS_WITH(run(launch), "launch: there is no program to start");
  launch = shell("true", 0);
  CHECK_THROWS_WITH(run(launch), "launch: 0 ranks; expected at least 1");
}

TEST_CASE("child: a launcher that its own rank kills", "[.child]") {
  LaunchConfig launch = shell(
      "echo $MARK >$NOTES; echo $TD_RENDEZVOUS >>$NOTES;"
      "sleep 600 & setsid sleep 600 & setsid sh -c 'sleep 600 & sleep 600' &"
      "kill -KILL $LAUNCHER; sleep 600",
      1);
  mark(launch);
  launch.environment.emplace_back("LAUNCHER", std::to_string(getpid()));
  td::distributed::supervise(launch);
}

TEST_CASE("a launcher that is killed leaves no process and no directory behind") {
  const auto notes =
      std::filesystem::temp_directory_path() / ("launch-notes-" + std::to_string(getpid()));
  const auto result =
      test::run_child("child: a launcher that its own rank kills", "NOTES=" + notes.string());
  CHECK(result.exit_code == 128 + SIGKILL);
  std::string mark, folder;
  std::ifstream(notes) >> mark >> folder;
  std::filesystem::remove(notes);
  REQUIRE_FALSE(mark.empty());
  CHECK(all_gone(mark));
  const std::string path = std::filesystem::path(folder.substr(7)).parent_path().parent_path();
  REQUIRE_THAT(path, Contains("todevice-"));
  for (int i = 0; i < 500 && std::filesystem::exists(path); ++i) std::this_thread::sleep_for(10ms);
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("ranks end when the process between them and the launcher is killed") {
  LaunchConfig launch = shell("kill -KILL $PPID; sleep 600", 2);
  const std::string marked = mark(launch);
  CHECK_THROWS_WITH(run(launch), Contains("td-reaper"));
  CHECK(all_gone(marked));
}
