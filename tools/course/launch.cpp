// `./course launch -n 2 PROGRAM`: starts a program, or a chapter's, as several ranks and watches
// them; on several hosts run one such command on each. distributed/launch/supervisor.h does the
// work.
#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "builder.h"
#include "command.h"
#include "distributed/launch/supervisor.h"

namespace course {
namespace {

constexpr const char* kLaunchExample = "./course launch -n 2 6";
// Many more than a host has cores; a larger number is a typing error.
constexpr int kMostRanks = 1024;

/// The integer that `text` is. @throws UsageError naming the option and the bounds.
int number(const std::string& option, const std::string& text, int least, int most) {
  const bool digits = !text.empty() && text.size() <= 9 &&
                      text.find_first_not_of("0123456789") == std::string::npos;
  const int value = digits ? std::stoi(text) : -1;
  if (value < least || value > most)
    throw UsageError(option + " is \"" + text + "\"; expected an integer from " +
                     std::to_string(least) + " to " + std::to_string(most) + ": " + kLaunchExample);
  return value;
}

/// The options as they were typed.
struct Typed {
  std::string ranks, max_restarts = "0", nnodes = "1", node_rank, rendezvous, run_id;
  bool no_prefix = false;
  std::vector<std::string> words;
};

/// Several hosts must agree on what a single host can choose by itself.
void check_hosts(const Typed& typed, const td::distributed::LaunchConfig& launch) {
  const std::string so = "--nnodes " + typed.nnodes + " needs ";
  if (launch.nnodes == 1) {
    if (!typed.node_rank.empty())
      throw UsageError("--node-rank is for several hosts: give --nnodes, too.");
    return;
  }
  if (typed.node_rank.empty())
    throw UsageError(so + "--node-rank: 0 on the first host, 1 on the next, and so on.");
  if (typed.rendezvous.empty())
    throw UsageError(so +
                     "--rdzv, the place where all ranks meet: redis://HOST:PORT, or file:///FOLDER "
                     "on a disk that all hosts share.");
  if (typed.run_id.empty())
    throw UsageError(so + "--rdzv-id: any word that is the same on all hosts and new in each run.");
  if (launch.max_restarts > 0)
    throw UsageError("--max-restarts is for one host: several would have to agree on it.");
}

td::distributed::LaunchConfig launch_config(const Typed& typed) {
  if (typed.ranks.empty()) {
    const auto option = std::find(typed.words.begin(), typed.words.end(), "-n");
    if (option == typed.words.end() || option + 1 == typed.words.end())
      throw UsageError(std::string("How many ranks? ") + kLaunchExample);
    std::string line = "./course launch -n " + *(option + 1);
    for (auto word = typed.words.begin(); word != typed.words.end(); ++word)
      if (word != option && word != option + 1) line += " " + *word;
    throw UsageError("The ranks come before the program: " + line);
  }
  td::distributed::LaunchConfig launch;
  launch.nprocs = number("-n", typed.ranks, 1, kMostRanks);
  launch.max_restarts = number("--max-restarts", typed.max_restarts, 0, 1000);
  launch.nnodes = number("--nnodes", typed.nnodes, 1, kMostRanks);
  if (!typed.node_rank.empty() && launch.nnodes > 1)
    launch.node_rank = number("--node-rank", typed.node_rank, 0, launch.nnodes - 1);
  launch.rendezvous = typed.rendezvous;
  launch.run_id = typed.run_id;
  launch.prefix = !typed.no_prefix;
  check_hosts(typed, launch);
  return launch;
}

/// PROGRAM and its arguments, with a chapter's number or folder replaced by its program; empty,
/// after a message, when that could not be built.
std::vector<std::string> program_of(const Session& session,
                                    const td::distributed::LaunchConfig& launch,
                                    std::vector<std::string> words) {
  if (words.empty())
    throw UsageError(std::string("Which program? ") + kLaunchExample +
                     " starts chapter 6's, ./course launch -n 2 ./mine starts yours.");
  const std::string first = words[0];
  if (first[0] == '-')
    throw UsageError("There is no option " + first + "; ./course launch --help shows the options.");
  if (first.find_first_not_of("0123456789") == std::string::npos || fs::is_directory(first)) {
    const Course course = session.course();
    const bool mine = std::find(words.begin(), words.end(), "--mine") != words.end();
    const Chapter& chapter = course.chapter(first, kLaunchExample);
    if (launch.nprocs * launch.nnodes > 1 && !chapter.ranks)
      std::cerr << "launch: chapter " << chapter.number
                << "'s program has no ranks, so each process "
                << "does all of the work. One that divides it: " << kLaunchExample << '\n';
    words.erase(words.begin());
    const std::string name = words.empty() ? "" : words[0];
    const std::size_t count = words.size();
    const fs::path program = build_program(course, chapter, mine, words);
    if (program.empty()) return {};
    std::string typed = "./course launch -n " + std::to_string(launch.nprocs) + " " + first;
    if (words.size() < count) typed += " " + name;  // one of the chapter's other programs
    setenv("COURSE_TYPED", typed.c_str(), 1);
    words.insert(words.begin(), program.string());
  } else if (td::find_program(first).empty()) {
    throw UsageError("There is no program \"" + first + "\" in " + fs::current_path().string() +
                     " or on PATH. A chapter goes by its number: " + kLaunchExample);
  }
  return words;
}

class LaunchRanks : public Command {
 public:
  const char* name() const override { return "launch"; }
  const char* help() const override {
    return "start a program, or a chapter's by its number, as several ranks";
  }
  const char* example() const override { return "./course launch -n 2 6"; }
  void syntax(Syntax& syntax) override {
    syntax.usage("-n N CHAPTER|PROGRAM [OPTIONS]");
    syntax.option("-n,--nproc-per-node", typed_.ranks, "ranks on this host", "N");
    syntax.option("--max-restarts", typed_.max_restarts,
                  "how often all ranks are started again when one fails", "N");
    syntax.option("--nnodes", typed_.nnodes, "hosts; type the command on each of them", "N");
    syntax.option("--node-rank", typed_.node_rank, "this host's number, from 0", "N");
    syntax.option("--rdzv", typed_.rendezvous,
                  "where the ranks meet: redis://HOST:PORT or file:///FOLDER", "PLACE");
    syntax.option("--rdzv-id", typed_.run_id, "this run's name, the same on all hosts", "NAME");
    syntax.flag("--no-prefix", typed_.no_prefix, "the ranks' lines without [RANK] in front");
    syntax.program(typed_.words);
  }
  int work(const Session& session) override {
    td::distributed::LaunchConfig launch = launch_config(typed_);
    launch.words = program_of(session, launch, typed_.words);
    return launch.words.empty() ? 1 : td::distributed::supervise(launch).exit_code;
  }

 private:
  Typed typed_;
};

}  // namespace

std::unique_ptr<Command> make_launch() { return std::make_unique<LaunchRanks>(); }

}  // namespace course
