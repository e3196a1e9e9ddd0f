// Ranks that are threads work like processes of one host: shared memory carries the data, and the
// coordination service finds failures. One thread connects all ranks, so they need no rendezvous.
#include "distributed/thread_group.h"

#include <sys/socket.h>

#include <exception>
#include <mutex>
#include <thread>

#include "distributed/coordination/coordination.h"
#include "distributed/distributed.h"
#include "distributed/transport/process_group_host.h"
#include "distributed/transport/shared_segment.h"

namespace td::distributed {
namespace {

/// The members of one group, rank 0 connected to each of the others.
std::vector<RendezvousInfo> connected(int ranks) {
  const std::vector<HostInfo> hosts(static_cast<std::size_t>(ranks), read_host_info());
  std::vector<RendezvousInfo> infos(hosts.size());
  for (auto& info : infos) info.hosts = hosts;
  for (std::size_t r = 1; r < infos.size(); ++r) {
    int ends[2];
    TD_CHECK(Error, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0,
             "thread_groups: no more sockets; see the limit of ulimit -n");
    infos[0].sockets.emplace_back(FileDescriptor(ends[0]));
    infos[r].sockets.emplace_back(FileDescriptor(ends[1]));
  }
  return infos;
}

}  // namespace

std::vector<std::shared_ptr<ProcessGroup>> thread_groups(int ranks,
                                                         std::chrono::milliseconds timeout) {
  TD_CHECK(Error, ranks >= 1, "thread_groups: expected at least 1 rank, got ", ranks);
  if (ranks == 1) return {std::make_shared<ProcessGroupHost>(0, 1, nullptr)};
  std::vector<std::shared_ptr<SharedSegment>> segments;
  for (int r = 0; r < ranks; ++r) segments.push_back(SharedSegment::make(shm_segment_bytes(ranks)));
  std::vector<std::shared_ptr<ProcessGroup>> groups;
  for (RendezvousInfo& info : connected(ranks)) {
    const int rank = static_cast<int>(groups.size());
    groups.push_back(std::make_shared<ProcessGroupHost>(
        rank, ranks, make_shm_transport(rank, segments),
        std::make_shared<CoordinationAgent>(rank, std::move(info),
                                            Limits{timeout, std::chrono::hours(1)})));
  }
  return groups;
}

void run_as_threads(int ranks, const std::function<void(ProcessGroup&)>& work,
                    std::chrono::milliseconds timeout) {
  auto groups = thread_groups(ranks, timeout);
  std::mutex mutex;
  std::exception_ptr first;
  const auto run = [&](int rank) {
    set_thread_group(groups[rank]);
    try {
      work(*groups[rank]);
    } catch (const std::exception& e) {
      std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
      static_cast<ProcessGroupHost&>(*groups[rank])
          .fail("rank " + std::to_string(rank) + " ended with an error: " + e.what());
    }
    set_thread_group(nullptr);
    groups[rank].reset();  // this rank has left
  };
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r) threads.emplace_back(run, r);
  for (auto& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace td::distributed
