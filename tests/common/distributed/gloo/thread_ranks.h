// Ranks that are threads of the test but join, communicate and reduce as processes do: with a
// store, and the sockets of the coordination service and of gloo.
#pragma once

#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "distributed/coordination/coordination.h"
#include "distributed/rendezvous/rendezvous.h"
#include "distributed/transport/transport.h"

namespace test {

/// Calls `work(rank)` in `ranks` threads and returns what each one threw, "" for nothing.
inline std::vector<std::string> on_threads(int ranks, const std::function<void(int)>& work) {
  std::vector<std::string> texts(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] {
      try {
        work(r);
      } catch (const std::exception& e) {
        texts[static_cast<std::size_t>(r)] = e.what();
      }
    });
  for (auto& thread : threads) thread.join();
  return texts;
}

/// An Exchange between threads.
class Table {
 public:
  explicit Table(int size) : texts_(static_cast<std::size_t>(size)) {}
  std::vector<std::string> exchange(int rank, const std::string& mine) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !full_; });
    texts_[static_cast<std::size_t>(rank)] = mine;
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

/// A transport of each rank, connected to the others, without a coordination service.
inline std::vector<std::shared_ptr<td::distributed::Transport>> gloo_transports(int ranks) {
  using namespace td::distributed;
  Table table(ranks);
  std::vector<std::shared_ptr<Transport>> transports(static_cast<std::size_t>(ranks));
  const auto texts = on_threads(ranks, [&](int rank) {
    HostInfo host = read_host_info();
    host.address = "127.0.0.1";
    Member member;
    member.rank = rank;
    member.hosts.assign(transports.size(), host);
    member.exchange = [&, rank](const std::string& mine) { return table.exchange(rank, mine); };
    transports[static_cast<std::size_t>(rank)] = make_gloo_transport(member);
  });
  for (const std::string& text : texts)
    if (!text.empty()) throw std::runtime_error(text);
  return transports;
}

/// `work` with the group of each rank, all joined as init_process_group does it.
inline std::vector<std::string> with_groups(
    int ranks, const std::function<void(td::distributed::ProcessGroup&)>& work,
    const td::distributed::InitOptions& options = {}) {
  std::string folder = (std::filesystem::temp_directory_path() / "td-ranks-XXXXXX").string();
  if (!::mkdtemp(folder.data())) throw std::runtime_error("no folder " + folder);
  const auto texts = on_threads(ranks, [&](int rank) {
    td::distributed::RendezvousConfig place;
    place.rank = rank;
    place.world_size = ranks;
    const auto group = td::distributed::join_group(
        "gloo", place, *td::distributed::open_store("file://" + folder), options);
    work(*group);
  });
  std::filesystem::remove_all(folder);
  return texts;
}

}  // namespace test
