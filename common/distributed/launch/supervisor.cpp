// What all ranks of a launch share, the signals that end it, and the attempts. The ranks themselves
// are in worker_group.cpp.
#include "distributed/launch/supervisor.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "os/file.h"
#include "os/socket.h"
#include "td/base/error.h"
#include "td/base/parallel.h"

namespace td::distributed {
namespace {

std::atomic<int> signals_into{-1};  // the writing end of StopSignals, for the handler

extern "C" void note_signal(int signal) {
  const int before = errno;
  const auto byte = static_cast<unsigned char>(signal);
  [[maybe_unused]] const ssize_t written = write(signals_into, &byte, 1);
  errno = before;
}

/// Turns SIGINT, SIGTERM and SIGHUP, except those that the process ignores, into bytes that poll
/// can wait for. Afterwards the process's own handlers are in place again.
class StopSignals {
 public:
  StopSignals() {
    int none = -1;
    TD_CHECK(Error, signals_into.compare_exchange_strong(none, pipe_.into.get()),
             "this process is launching ranks already; wait for them before launching others");
    struct sigaction action {};
    action.sa_handler = note_signal;
    action.sa_flags = SA_RESTART;
    for (int i = 0; i < 3; ++i) {
      sigaction(kSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
    }
  }
  ~StopSignals() {
    for (int i = 0; i < 3; ++i) sigaction(kSignals[i], &before_[i], nullptr);
    signals_into = -1;
  }
  int descriptor() const { return pipe_.from.get(); }

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  Pipe pipe_{"cannot watch for signals", O_NONBLOCK};
  struct sigaction before_[3]{};
};

/// A directory of this launch alone, removed with its contents at the end of the scope.
class PrivateFolder {
 public:
  PrivateFolder() : path_((std::filesystem::temp_directory_path() / "todevice-XXXXXX").string()) {
    if (!mkdtemp(path_.data()))
      fail<Error>("cannot make a folder ", path_, ": ", std::strerror(errno),
                  "; set TMPDIR to a folder you may write to");
  }
  ~PrivateFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Differs from that of any other launch.
std::string new_run_id() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::to_string(getpid()) + "-" +
         std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

void check(const LaunchConfig& launch) {
  TD_CHECK(Error, !launch.words.empty(), launch.name, ": there is no program to start");
  TD_CHECK(Error, launch.nprocs >= 1, launch.name, ": ", launch.nprocs,
           " ranks; expected at least 1");
  TD_CHECK(Error, launch.max_restarts >= 0, launch.name, ": ", launch.max_restarts,
           " restarts; expected 0 or more");
  TD_CHECK(Error, launch.node_rank >= 0 && launch.node_rank < launch.nnodes, launch.name,
           ": this host's number is ", launch.node_rank, " of ", launch.nnodes,
           "; hosts are numbered from 0");
  if (launch.nnodes == 1) return;
  TD_CHECK(Error, !launch.rendezvous.empty() && !launch.run_id.empty(), launch.name,
           ": several hosts need a rendezvous and a run id that are the same on all of them");
  TD_CHECK(Error, launch.max_restarts == 0, launch.name,
           ": restarts are for one host; several would have to agree on them");
}

/// The environment of rank `local_rank`. @param folder of this attempt alone, unless the user has
/// named a rendezvous: files of the last attempt must not be read as new ones.
Variables variables_of(const LaunchConfig& launch, int local_rank, int attempt,
                       const std::string& folder, const std::string& run_id,
                       const std::string& port) {
  const auto rank = std::to_string(launch.node_rank * launch.nprocs + local_rank);
  const auto world_size = std::to_string(launch.nnodes * launch.nprocs);
  Variables all = {
      {"TD_RENDEZVOUS", launch.rendezvous.empty() ? "file://" + folder : launch.rendezvous},
      {"TORCHELASTIC_RUN_ID", launch.run_id.empty() ? run_id : launch.run_id},
      {"TORCHELASTIC_RESTART_COUNT", std::to_string(attempt)},
      {"TORCHELASTIC_MAX_RESTARTS", std::to_string(launch.max_restarts)},
      {"RANK", rank},
      {"WORLD_SIZE", world_size},
      {"LOCAL_RANK", std::to_string(local_rank)},
      {"LOCAL_WORLD_SIZE", std::to_string(launch.nprocs)},
      {"GROUP_RANK", std::to_string(launch.node_rank)},
      {"GROUP_WORLD_SIZE", std::to_string(launch.nnodes)},
      {"ROLE_NAME", "default"},
      {"ROLE_RANK", rank},
      {"ROLE_WORLD_SIZE", world_size}};
  // Threads times ranks must not be more than there are cores.
  if (!std::getenv("OMP_NUM_THREADS"))
    all.emplace_back("OMP_NUM_THREADS", std::to_string(std::max(1, core_count() / launch.nprocs)));
  if (launch.nnodes == 1) {
    all.emplace_back("MASTER_ADDR", "127.0.0.1");
    all.emplace_back("MASTER_PORT", port);
  }
  all.insert(all.end(), launch.environment.begin(), launch.environment.end());
  return all;
}

}  // namespace

LaunchResult supervise(const LaunchConfig& launch) {
  check(launch);
  launch.output->flush();  // earlier output stays before the ranks'
  const StopSignals signals;
  const PrivateFolder folder;
  const std::string run_id = new_run_id();
  for (int attempt = 0;; ++attempt) {
    const std::string number = std::to_string(attempt), own = folder.path() + "/" + number + "/";
    std::filesystem::create_directory(own);
    // A port that was free a moment ago. With a fixed one, only one of two launches could use it.
    const std::string port = std::to_string(Listener("127.0.0.1").port());
    std::vector<Variables> variables;
    for (int rank = 0; rank < launch.nprocs; ++rank)
      variables.push_back(variables_of(launch, rank, attempt, own, run_id + "-" + number, port));
    LaunchResult result = run_ranks(launch, variables, folder.path(), signals.descriptor());
    if (result.failure.empty() || result.stopped_by != 0 || attempt == launch.max_restarts)
      return result;
    *launch.errors << launch.name << ": all ranks are started again (restart " << attempt + 1
                   << " of " << launch.max_restarts << ")" << std::endl;
  }
}

}  // namespace td::distributed
