// Starts threads as ranks.
#include "distributed/thread_group.h"

#include <exception>
#include <mutex>
#include <thread>

#include "distributed/distributed.h"
#include "distributed/transport/process_group_host.h"
#include "distributed/transport/thread_transport.h"

namespace td::distributed {

std::vector<std::shared_ptr<ProcessGroup>> thread_groups(int ranks,
                                                         std::chrono::milliseconds timeout) {
  TD_CHECK(Error, ranks >= 1, "thread_groups: expected at least 1 rank, got ", ranks);
  const auto exchange = std::make_shared<ThreadExchange>(ranks, timeout);
  std::vector<std::shared_ptr<ProcessGroup>> groups;
  for (int r = 0; r < ranks; ++r)
    groups.push_back(std::make_shared<ProcessGroupHost>(
        r, ranks, timeout, std::make_shared<ThreadTransport>(r, ranks, exchange)));
  return groups;
}

void run_as_threads(int ranks, const std::function<void(ProcessGroup&)>& work,
                    std::chrono::milliseconds timeout) {
  auto groups = thread_groups(ranks, timeout);
  std::mutex mutex;
  std::exception_ptr first;
  const auto run = [&](int rank) {
    const DefaultGroupGuard guard(groups[rank]);
    try {
      work(*groups[rank]);
    } catch (const std::exception& e) {
      std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
      static_cast<ProcessGroupHost&>(*groups[rank])
          .fail("rank " + std::to_string(rank) + " ended with an error: " + e.what());
    }
    groups[rank].reset();  // this rank has left
  };
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r) threads.emplace_back(run, r);
  for (auto& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace td::distributed
