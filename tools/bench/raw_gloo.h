// Shared by the benchmarks of collectives: gloo alone between the ranks of the default group, as
// the reference, and the start of the ranks. gloo.cpp and shared_memory.cpp include it.
#pragma once

#include <gloo/allreduce.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "distributed/distributed.h"
#include "distributed/launch/environment.h"
#include "distributed/launch/spawn.h"
#include "td/td.h"

namespace bench {

namespace dist = td::distributed;
using Clock = std::chrono::steady_clock;

inline double microseconds(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

inline double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + v.size() / 2, v.end());
  return v[v.size() / 2];
}

inline void sum_floats(void* c, const void* a, const void* b, std::size_t n) {
  gloo::sum<float>(c, a, b, n);
}

// Raw gloo between the ranks of the default group.
class RawGloo {
 public:
  RawGloo()
      : context_(
            std::make_shared<gloo::rendezvous::Context>(dist::get_rank(), dist::get_world_size())) {
    gloo::rendezvous::FileStore store(std::getenv("TD_BENCH_FOLDER"));
    auto device = gloo::transport::tcp::CreateDevice("127.0.0.1");
    context_->connectFullMesh(store, device);
  }

  void all_reduce(const td::Tensor& t) {
    gloo::AllreduceOptions options(context_);
    options.setOutput(t.data_ptr<float>(), static_cast<std::size_t>(t.numel()));
    options.setReduceFunction(&sum_floats);
    options.setTag(++tag_);
    gloo::allreduce(options);
  }

 private:
  std::shared_ptr<gloo::rendezvous::Context> context_;
  std::uint32_t tag_ = 0;
};

/// Starts the ranks and calls `run(seconds)` in each. Arguments: how many ranks (2), seconds (2).
inline int start_ranks(int argc, char** argv, const std::function<void(double)>& run) {
  const int ranks = argc > 1 ? std::atoi(argv[1]) : 2;
  const double seconds = argc > 2 ? std::atof(argv[2]) : 2;
  char folder[] = "/tmp/td_bench_XXXXXX";
  const bool parent = !dist::launched();
  if (parent) ::setenv("TD_BENCH_FOLDER", ::mkdtemp(folder), 1);
  try {
    dist::spawn([&](int) { run(seconds); }, ranks);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
  }
  if (parent) std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace bench
