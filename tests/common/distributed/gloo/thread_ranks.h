// Ranks that are threads of the test but meet, talk and reduce as processes do: by a store, the
// control plane's sockets and gloo's.
#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "distributed/control/control.h"
#include "distributed/planes/gloo_plane.h"
#include "distributed/rendezvous/joining.h"
#include "distributed/rendezvous/rendezvous.h"

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

/// A plane of each rank, connected to the others, without a control plane.
inline std::vector<std::shared_ptr<td::distributed::GlooPlane>> gloo_planes(int ranks) {
  using namespace td::distributed;
  MemoryStore store;
  std::vector<std::shared_ptr<GlooPlane>> planes(static_cast<std::size_t>(ranks));
  const auto texts = on_threads(ranks, [&](int rank) {
    GlooOptions options;
    options.rank = rank;
    options.size = ranks;
    options.address = "127.0.0.1";
    options.run = "test";
    options.timeout = std::chrono::seconds(20);
    planes[static_cast<std::size_t>(rank)] = std::make_shared<GlooPlane>(options, store);
  });
  for (const std::string& text : texts)
    if (!text.empty()) throw std::runtime_error(text);
  return planes;
}

/// `work` with the group of each rank, all joined as init_process_group does it.
inline std::vector<std::string> with_groups(
    int ranks, const std::function<void(td::distributed::ProcessGroup&)>& work,
    const td::distributed::InitOptions& options = {}) {
  td::distributed::MemoryStore store;
  return on_threads(ranks, [&](int rank) {
    td::distributed::Place place;
    place.rank = rank;
    place.world_size = ranks;
    const auto group = td::distributed::join_group("gloo", place, store, options);
    work(*group);
  });
}

}  // namespace test
