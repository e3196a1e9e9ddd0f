// Ranks over shared memory in one process, for the tests of this folder: threads that exchange
// their addresses through a table, and either map every segment for themselves, as processes do, or
// all use one mapping, where ThreadSanitizer sees who touches what.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "distributed/planes/host_group.h"
#include "distributed/planes/shared_plane.h"
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

/// The planes of `size` ranks that belong together.
inline std::vector<std::shared_ptr<td::distributed::HostPlane>> shared_planes(int size,
                                                                              Views views) {
  using namespace td::distributed;
  std::vector<std::shared_ptr<HostPlane>> planes(static_cast<std::size_t>(size));
  if (views == Views::kOne) {
    std::vector<std::shared_ptr<SharedSegment>> segments;
    for (int r = 0; r < size; ++r)
      segments.push_back(SharedSegment::make(SharedPlane::segment_bytes(size)));
    for (int r = 0; r < size; ++r) planes[r] = std::make_shared<SharedPlane>(r, segments);
    return planes;
  }
  Table table(size);
  const std::vector<HostFacts> hosts(planes.size(), read_host_facts());
  std::vector<std::thread> threads;
  for (int r = 0; r < size; ++r)
    threads.emplace_back([&, r] {
      planes[r] = join_shared_memory(r, hosts, [&](const std::string& mine) {
                    return table.exchange(r, mine);
                  }).plane;
    });
  for (auto& thread : threads) thread.join();
  return planes;
}

/// Runs `work` in a thread for every rank and returns what each one threw, "" for nothing. The
/// first error ends the groups of all, as the control plane would.
inline std::vector<std::string> run_shared(
    int size, Views views, const std::function<void(td::distributed::HostGroup&)>& work) {
  using namespace td::distributed;
  const auto planes = shared_planes(size, views);
  std::vector<std::string> errors(planes.size());
  std::vector<std::unique_ptr<HostGroup>> groups;
  for (int r = 0; r < size; ++r)
    groups.push_back(std::make_unique<HostGroup>(r, size, std::chrono::seconds(10), planes[r]));
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
