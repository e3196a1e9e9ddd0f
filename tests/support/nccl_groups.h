// Process groups over NCCL whose ranks are threads, one on each GPU of this machine or of the
// stand-in for CUDA.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "distributed/transport/process_group_nccl.h"
#include "td/td.h"

namespace nccl_groups {

using namespace td;
using namespace td::distributed;

/// An Exchange between threads.
class Table {
 public:
  explicit Table(std::size_t size) : texts_(size) {}
  std::vector<std::string> exchange(std::size_t rank, const std::string& mine) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !full_; });
    texts_[rank] = mine;
    if (++come_ == texts_.size()) full_ = true, changed_.notify_all();
    changed_.wait(lock, [&] { return full_; });
    auto all = texts_;
    if (--come_ == 0) full_ = false, changed_.notify_all();
    return all;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> texts_;
  std::size_t come_ = 0;
  bool full_ = false;
};

inline Member member_of(int rank, int ranks, Table& table) {
  Member member;
  member.rank = rank;
  member.hosts.assign(static_cast<std::size_t>(ranks), read_host_info());
  member.timeout = std::chrono::seconds(60);
  member.exchange = [&table, rank](const std::string& mine) {
    return table.exchange(static_cast<std::size_t>(rank), mine);
  };
  return member;
}

/// Runs `work` as a rank on every GPU; what each one threw, "" for nothing.
inline std::vector<std::string> on_all_gpus(
    const std::function<void(ProcessGroup&, Device)>& work,
    const std::function<void(Member&)>& change = [](Member&) {}) {
  const int ranks = device_count(kCUDA);
  Table table(static_cast<std::size_t>(ranks));
  std::vector<std::string> errors(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] {
      try {
        Member member = member_of(r, ranks, table);
        const Device device = nccl_device(r);
        const DeviceGuard guard(device);
        change(member);
        const auto group = join_nccl(member, device);
        work(*group, device);
      } catch (const std::exception& e) {
        errors[static_cast<std::size_t>(r)] = e.what();
      }
    });
  for (auto& thread : threads) thread.join();
  return errors;
}

}  // namespace nccl_groups
