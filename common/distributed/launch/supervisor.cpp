// What all ranks of a launch share, and the attempts. The ranks themselves are in ranks.h.
#include "distributed/launch/supervisor.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "distributed/launch/worker_group.h"
#include "td/base/error.h"
#include "td/base/parallel.h"

namespace td::distributed {
namespace {

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

/// A port that was free a moment ago. A fixed one would belong to the first of two launches.
int free_port() {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  const bool bound =
      listener >= 0 && bind(listener, any, length) == 0 && getsockname(listener, any, &length) == 0;
  if (listener >= 0) close(listener);
  if (!bound) fail<Error>("cannot find a free port: ", std::strerror(errno));
  return ntohs(address.sin_port);
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

/// What all ranks of one attempt find in their environment.
struct Attempt {
  std::string run_id, folder;
  int number = 0;

  std::string rendezvous(const LaunchConfig& launch) const;
  Variables variables(const LaunchConfig& launch) const;
};

std::string Attempt::rendezvous(const LaunchConfig& launch) const {
  if (!launch.rendezvous.empty()) return launch.rendezvous;
  // A folder an attempt: what the last one left must not be read as new.
  const std::string own = folder + "/" + std::to_string(number) + "/";
  std::filesystem::create_directory(own);
  return "file://" + own;
}

Variables Attempt::variables(const LaunchConfig& launch) const {
  const std::string run_id =
      launch.run_id.empty() ? this->run_id + "-" + std::to_string(number) : launch.run_id;
  Variables all = {{"TD_RENDEZVOUS", rendezvous(launch)},
                   {"TORCHELASTIC_RUN_ID", run_id},
                   {"TORCHELASTIC_RESTART_COUNT", std::to_string(number)},
                   {"TORCHELASTIC_MAX_RESTARTS", std::to_string(launch.max_restarts)}};
  // Threads times ranks must not be more than there are cores.
  if (!std::getenv("OMP_NUM_THREADS"))
    all.emplace_back("OMP_NUM_THREADS", std::to_string(std::max(1, core_count() / launch.nprocs)));
  if (launch.nnodes == 1) {
    all.emplace_back("MASTER_ADDR", "127.0.0.1");
    all.emplace_back("MASTER_PORT", std::to_string(free_port()));
  }
  return all;
}

Variables rank_variables(const LaunchConfig& launch, int local_rank) {
  const auto rank = std::to_string(launch.node_rank * launch.nprocs + local_rank);
  const auto world_size = std::to_string(launch.nnodes * launch.nprocs);
  return {{"RANK", rank},
          {"WORLD_SIZE", world_size},
          {"LOCAL_RANK", std::to_string(local_rank)},
          {"LOCAL_WORLD_SIZE", std::to_string(launch.nprocs)},
          {"GROUP_RANK", std::to_string(launch.node_rank)},
          {"GROUP_WORLD_SIZE", std::to_string(launch.nnodes)},
          {"ROLE_NAME", "default"},
          {"ROLE_RANK", rank},
          {"ROLE_WORLD_SIZE", world_size}};
}

}  // namespace

LaunchResult supervise(const LaunchConfig& launch) {
  check(launch);
  std::ostream& output = launch.output ? *launch.output : std::cout;
  std::ostream& errors = launch.errors ? *launch.errors : std::cerr;
  output.flush();  // what was said before stays before
  StopSignals signals;
  const PrivateFolder folder;
  Attempt attempt{new_run_id(), folder.path()};
  while (true) {
    const Variables shared = attempt.variables(launch);
    const auto variables = [&](int local_rank) {
      Variables all = shared;
      for (const auto& more : {rank_variables(launch, local_rank), launch.environment})
        all.insert(all.end(), more.begin(), more.end());
      return all;
    };
    LaunchResult result =
        WorkerGroup(launch, signals, output, errors).run(variables, folder.path());
    if (result.failure.empty() || result.stopped_by != 0 || attempt.number == launch.max_restarts)
      return result;
    ++attempt.number;
    errors << launch.name << ": all ranks are started again (restart " << attempt.number << " of "
           << launch.max_restarts << ")" << std::endl;
  }
}

}  // namespace td::distributed
