// The parent supervises; a child counts its calls of spawn() until it comes to the one that it was
// started for.
#include "distributed/launch/spawn.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "distributed/launch/environment.h"
#include "distributed/launch/supervisor.h"
#include "td/base/error.h"

namespace td::distributed {
namespace {

// Which call of spawn() a child is for, counted from 1.
constexpr const char* kCallVariable = "TD_SPAWN_CALL";

int calls = 0;

/// 0 in a process that was not started by spawn().
int wanted_call() {
  static const int wanted = [] {
    const int call = std::atoi(variable(kCallVariable).c_str());
    // Programs that the rank starts are not ranks of this launch.
    unsetenv(kCallVariable);
    return call;
  }();
  return wanted;
}

[[noreturn]] void be_a_rank(const std::function<void(int)>& fn, int nprocs) {
  const Environment here = read_environment();
  int code = 1;
  try {
    TD_CHECK(Error, nprocs == here.world_size, "spawn: ", nprocs, " ranks here, but ",
             here.world_size,
             " in the program that started this one: what decides it must be the "
             "same in every rank");
    fn(here.rank);
    code = 0;
  } catch (const std::exception& error) {
    std::cout << std::flush;
    std::cerr << "rank " << here.rank << ": " << error.what() << std::endl;
  } catch (...) {
    std::cerr << "rank " << here.rank << ": something was thrown that is no std::exception"
              << std::endl;
  }
  std::exit(code);
}

std::vector<std::string> own_words() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  // The name by which it was called may no longer be on PATH, or may now name another file.
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  if (words.empty()) words.resize(1);
  words[0] = program;
  return words;
}

}  // namespace

void spawn(const std::function<void(int)>& fn, int nprocs) {
  ++calls;
  const int wanted = wanted_call();
  if (calls < wanted) return;  // the parent has done this one
  if (calls == wanted) be_a_rank(fn, nprocs);
  if (launched()) {
    const Environment here = read_environment();
    fail<Error>("spawn: this process is rank ", here.rank, " of ", here.world_size, " already (",
                wanted > 0 ? "spawn" : here.source,
                "); call the function itself, or start the program without a launcher");
  }
  TD_CHECK(Error, nprocs >= 1, "spawn: ", nprocs, " ranks; expected at least 1");
  LaunchConfig launch;
  launch.name = "spawn";
  launch.words = own_words();
  launch.nprocs = nprocs;
  launch.environment = {{kCallVariable, std::to_string(calls)}};
  std::fflush(stdout);
  const LaunchResult ending = supervise(launch);
  // Ctrl-C was meant for this process too; its own handler decides what that means.
  if (ending.stopped_by != 0) std::raise(ending.stopped_by);
  TD_CHECK(Error, ending.stopped_by == 0, "spawn: stopped by a signal");
  TD_CHECK(Error, ending.failure.empty(), "spawn: ", ending.failure);
}

}  // namespace td::distributed
