// All-reduce between ranks of this host: gloo's own, over its loopback sockets, against the
// shared-memory plane, which copies, or reduces in place. All take turns in the same processes.
//   cmake --build --preset release --target bench_shared_memory
//   build/release/tools/bench/bench_shared_memory [ranks [seconds a row [pin]]]
// Prints medians over the turns in microseconds, as rank 0 sees them. `pin` keeps each rank, but
// not gloo's own threads, on one core: on a busy machine two ranks else share one for a while.
#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <thread>

#include "td/distributed/host_group.h"
#include "td/distributed/shared_plane.h"
#include "td/td.h"

namespace {

using namespace td::distributed;
using Algorithm = gloo::AllreduceOptions::Algorithm;
using Clock = std::chrono::steady_clock;

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

std::shared_ptr<gloo::Context> connect(int rank, int ranks, const std::string& folder) {
  gloo::rendezvous::FileStore store(folder);
  auto context = std::make_shared<gloo::rendezvous::Context>(rank, ranks);
  auto device = gloo::transport::tcp::CreateDevice("127.0.0.1");
  context->connectFullMesh(store, device);
  return context;
}

Exchange exchange_over(const std::shared_ptr<gloo::Context>& context) {
  return [context](const std::string& mine) {
    constexpr std::size_t kRoom = 256;
    std::vector<char> in(kRoom), out(kRoom * static_cast<std::size_t>(context->size));
    std::strncpy(in.data(), mine.c_str(), kRoom - 1);
    gloo::AllgatherOptions options(context);
    options.setInput(in.data(), in.size());
    options.setOutput(out.data(), out.size());
    gloo::allgather(options);
    std::vector<std::string> all;
    for (int r = 0; r < context->size; ++r) all.emplace_back(&out[kRoom * r]);
    return all;
  };
}

// One way to reduce a tensor, and what it took.
struct Contender {
  const char* name;
  std::function<void()> all_reduce;
  std::vector<double> times = {};
};

class Bench {
 public:
  Bench(int rank, int ranks, const std::string& folder)
      : rank_(rank), gloo_(connect(rank, ranks, folder)) {
    const std::vector<HostFacts> hosts(static_cast<std::size_t>(ranks), read_host_facts());
    const SharedMemory shared = join_shared_memory(rank, hosts, exchange_over(gloo_));
    if (!shared.plane) throw td::Error(shared.why_not);
    plane_ = shared.plane;
    group_ = std::make_unique<HostGroup>(rank, ranks, std::chrono::seconds(30), plane_);
  }

  // Turns of some milliseconds each. Rank 0 says when it is enough.
  void row(std::int64_t bytes, double seconds) {
    const std::int64_t n = bytes / 4;
    td::Tensor outside = td::zeros({n}), shared = group_->empty_shared(n, td::kFloat);
    shared.fill_(0.0);
    std::vector<Contender> contenders = {
        {"gloo ring", [&] { by_gloo(outside, Algorithm::RING); }},
        {"gloo bcube", [&] { by_gloo(outside, Algorithm::BCUBE); }},
        {"shared, copied", [&] { by_plane(outside); }},
        {"shared, in place", [&] { by_plane(shared); }},
        {"group, in place", [&] { group_->all_reduce(shared)->wait(); }},
    };
    const auto start = Clock::now();
    for (bool more = true; more;) {
      for (Contender& contender : contenders) turn(contender);
      more = agree(std::chrono::duration<double>(Clock::now() - start).count() < seconds);
    }
    if (rank_) return;
    std::printf("%10lld", static_cast<long long>(bytes));
    for (const Contender& c : contenders) std::printf(" %17.1f", median(c.times));
    std::printf(" %8.1fx %8.1fx\n", median(contenders[0].times) / median(contenders[2].times),
                median(contenders[0].times) / median(contenders[3].times));
    std::fflush(stdout);
  }

  void barrier_row() {
    std::vector<double> times;
    for (int i = 0; i < 200; ++i)
      times.push_back(microseconds([&] {
                        for (int k = 0; k < 100; ++k) barrier();
                      }) /
                      100);
    if (!rank_) std::printf("\nbarrier in shared memory: %.2f us\n", median(times));
  }

 private:
  CollectiveKey key(CollectiveType type, std::int64_t numel) {
    CollectiveKey key;
    key.type = type;
    key.numel = numel;
    key.sequence = ++calls_;
    return key;
  }
  void barrier() { plane_->barrier(key(CollectiveType::kBarrier, 0)); }
  void by_plane(const td::Tensor& t) {
    plane_->all_reduce(key(CollectiveType::kAllReduce, t.numel()), t.data_ptr());
  }
  void by_gloo(const td::Tensor& t, Algorithm algorithm) {
    gloo::AllreduceOptions options(gloo_);
    options.setOutput(t.data_ptr<float>(), static_cast<std::size_t>(t.numel()));
    options.setReduceFunction(&sum_floats);
    options.setAlgorithm(algorithm);
    gloo::allreduce(options);
  }
  void turn(Contender& contender) {
    contender.all_reduce();
    for (int i = 0; i < 10; ++i) {
      barrier();
      contender.times.push_back(microseconds(contender.all_reduce));
    }
  }
  bool agree(bool mine) {
    std::int32_t yes = mine;
    CollectiveKey call = key(CollectiveType::kBroadcast, 1);
    call.dtype = td::kInt;
    plane_->broadcast(call, &yes);
    return yes != 0;
  }

  const int rank_;
  std::shared_ptr<gloo::Context> gloo_;
  std::shared_ptr<HostPlane> plane_;
  std::unique_ptr<HostGroup> group_;
  std::uint64_t calls_ = 0;
};

void pin_to_core(int rank) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(static_cast<std::size_t>(rank) % std::thread::hardware_concurrency(), &cores);
  sched_setaffinity(0, sizeof cores, &cores);
}

void run(int rank, int ranks, const std::string& folder, double seconds, bool pin) {
  Bench bench(rank, ranks, folder);
  if (pin) pin_to_core(rank);
  if (!rank)
    std::printf("%d ranks, us\n%10s %17s %17s %17s %17s %17s %9s %9s\n", ranks, "bytes",
                "gloo ring", "gloo bcube", "shared, copied", "shared, in place", "group, in place",
                "copied", "in place");
  for (const std::int64_t bytes : {4, 1 << 10, 64 << 10, 1 << 20, 2676776, 4 << 20, 32 << 20})
    bench.row(bytes, seconds);
  bench.barrier_row();
}

}  // namespace

int main(int argc, char** argv) {
  const int ranks = argc > 1 ? std::atoi(argv[1]) : 2;
  const double seconds = argc > 2 ? std::atof(argv[2]) : 2;
  char pattern[] = "/tmp/bench_shared_memory_XXXXXX";
  const std::string folder = mkdtemp(pattern);
  // No thread runs yet, so a copy of this process is as good as a fresh one.
  for (int rank = 1; rank < ranks; ++rank)
    if (fork() == 0) {
      run(rank, ranks, folder, seconds, argc > 3);
      std::_Exit(0);
    }
  run(0, ranks, folder, seconds, argc > 3);
  int status = 0;
  while (wait(&status) > 0) continue;
  std::filesystem::remove_all(folder);
}
