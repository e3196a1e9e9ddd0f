// All-reduce over gloo's sockets: this project's group, with its control plane, against gloo's own
// ring, in turns in the same processes.
//   cmake --build --preset release --target bench_gloo
//   build/release/tools/bench/bench_gloo [ranks [seconds a row]]
// Prints medians in microseconds, as rank 0 sees them, and the median of the turns' ratios.
#include "raw_gloo.h"

namespace {

using namespace bench;

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
  RawGloo raw;
  if (!dist::get_rank())
    std::printf("%d ranks, us\n%10s %12s %12s %8s\n", dist::get_world_size(), "bytes", "raw gloo",
                "this group", "ratio");
  for (const std::int64_t bytes :
       {4, 1 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20})
    row(raw, bytes, seconds);
  dist::destroy_process_group();
}

}  // namespace

int main(int argc, char** argv) { return bench::start_ranks(argc, argv, run); }
