// All-reduce over gloo's sockets: this project's group, with its control plane, against gloo's own
// ring, in turns in the same processes.
//   cmake --build --preset release --target bench_gloo
//   build/release/tools/bench/bench_gloo [ranks [seconds a row]]
// Prints medians in microseconds, as rank 0 sees them, and the median of the turns' ratios.
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

#include "td/distributed/distributed.h"
#include "td/distributed/environment.h"
#include "td/distributed/spawn.h"
#include "td/td.h"

namespace {

using Clock = std::chrono::steady_clock;
namespace dist = td::distributed;

double microseconds(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + v.size() / 2, v.end());
  return v[v.size() / 2];
}

void sum_floats(void* c, const void* a, const void* b, std::size_t n) {
  gloo::sum<float>(c, a, b, n);
}

// Raw gloo between the ranks of the default group.
class RawGloo {
 public:
  explicit RawGloo(const std::string& folder)
      : context_(
            std::make_shared<gloo::rendezvous::Context>(dist::get_rank(), dist::get_world_size())) {
    gloo::rendezvous::FileStore store(folder);
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

// One after the other, again and again: what disturbs the machine disturbs both.
void row(RawGloo& raw, std::int64_t bytes, double seconds) {
  const td::Tensor t = td::zeros({bytes / 4});
  std::vector<double> raw_times, times, ratios;
  td::Tensor more = td::ones({1});
  const auto start = Clock::now();
  for (int turn = 0; more.item<int>(); ++turn) {
    double both[2];
    for (const int which : {turn % 2, 1 - turn % 2}) {
      dist::barrier();
      both[which] = microseconds([&] { which ? dist::all_reduce(t) : raw.all_reduce(t); });
    }
    if (turn > 2) {
      raw_times.push_back(both[0]);
      times.push_back(both[1]);
      ratios.push_back(both[1] / both[0]);
    }
    more.fill_(turn < 10 || std::chrono::duration<double>(Clock::now() - start).count() < seconds);
    dist::broadcast(more);
  }
  if (dist::get_rank()) return;
  std::printf("%10lld %12.1f %12.1f %8.2f\n", static_cast<long long>(bytes), median(raw_times),
              median(times), median(ratios));
  std::fflush(stdout);
}

void run(double seconds) {
  ::setenv("TD_DATA_PLANE", "gloo", 1);
  dist::init_process_group("gloo");
  const std::string folder = std::getenv("TD_BENCH_FOLDER");
  RawGloo raw(folder);
  if (!dist::get_rank())
    std::printf("%d ranks, us\n%10s %12s %12s %8s\n", dist::get_world_size(), "bytes", "raw gloo",
                "this group", "ratio");
  for (const std::int64_t bytes :
       {4, 1 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20})
    row(raw, bytes, seconds);
  dist::destroy_process_group();
}

}  // namespace

int main(int argc, char** argv) {
  const int ranks = argc > 1 ? std::atoi(argv[1]) : 2;
  const double seconds = argc > 2 ? std::atof(argv[2]) : 2;
  char folder[] = "/tmp/bench_gloo_XXXXXX";
  const bool parent = !dist::launched();
  if (parent) ::setenv("TD_BENCH_FOLDER", ::mkdtemp(folder), 1);
  try {
    dist::spawn([seconds](int) { run(seconds); }, ranks);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
  }
  if (parent) std::filesystem::remove_all(folder);
}
