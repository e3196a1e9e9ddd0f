// Ranks over shared memory in one process, for the tests of this folder: threads that exchange
// their addresses through a table, and either map every segment for themselves, as processes do, or
// all use one mapping, where ThreadSanitizer sees all accesses.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "distributed/transport/process_group_host.h"
#include "distributed/transport/shared_segment.h"
#include "td/td.h"

/// An Exchange between threads.
class Table {
 public:
  explicit Table(int size) : size_(static_cast<std::size_t>(size)) {}
  std::vector<std::string> exchange(int rank, const std::string& mine) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !full_; });
    texts_.resize(size_);
    texts_[static_cast<std::size_t>(rank)] = mine;
    if (++come_ == size_) full_ = true, changed_.notify_all();
    changed_.wait(lock, [&] { return full_; });
    auto all = texts_;
    if (--come_ == 0) full_ = false, changed_.notify_all();
    return all;
  }

 private:
  const std::size_t size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> texts_;
  std::size_t come_ = 0;
  bool full_ = false;
};

enum class Views { kOwn, kOne };

/// The transports of `size` ranks that belong together.
inline std::vector<std::shared_ptr<td::distributed::Transport>> shm_transports(int size,
                                                                               Views views) {
  using namespace td::distributed;
  std::vector<std::shared_ptr<Transport>> transports(static_cast<std::size_t>(size));
  if (views == Views::kOne) {
    std::vector<std::shared_ptr<SharedSegment>> segments;
    for (int r = 0; r < size; ++r) segments.push_back(SharedSegment::make(shm_segment_bytes(size)));
    for (int r = 0; r < size; ++r) transports[r] = make_shm_transport(r, segments);
    return transports;
  }
  Table table(size);
  const std::vector<HostInfo> hosts(transports.size(), read_host_info());
  std::vector<std::thread> threads;
  for (int r = 0; r < size; ++r)
    threads.emplace_back([&, r] {
      transports[r] =
          join_shared_memory(
              {r, hosts, [&](const std::string& mine) { return table.exchange(r, mine); }})
              .transport;
    });
  for (auto& thread : threads) thread.join();
  return transports;
}

/// Runs `work` in a thread for every rank and returns what each one threw, "" for nothing. The
/// first error ends the groups of all, as the coordination service would.
inline std::vector<std::string> run_shared(
    int size, Views views, const std::function<void(td::distributed::ProcessGroupHost&)>& work) {
  using namespace td::distributed;
  const auto transports = shm_transports(size, views);
  std::vector<std::string> errors(transports.size());
  std::vector<std::unique_ptr<ProcessGroupHost>> groups;
  for (int r = 0; r < size; ++r)
    groups.push_back(std::make_unique<ProcessGroupHost>(r, size, transports[r]));
  std::vector<std::thread> threads;
  for (int r = 0; r < size; ++r)
    threads.emplace_back([&, r] {
      try {
        work(*groups[r]);
      } catch (const std::exception& e) {
        errors[r] = e.what();
        for (auto& group : groups) group->fail(e.what());
      }
    });
  for (auto& thread : threads) thread.join();
  return errors;
}
