// All-reduce over gloo's sockets: this project's group, with its coordination service, against
// gloo's own ring, interleaved in the same processes.
//   cmake --build --preset release --target bench_gloo
//   build/release/tools/bench/bench_gloo [ranks [seconds per row]]
// Prints medians in microseconds, as rank 0 sees them, and the median of the rounds' ratios: of the
// time, and of rank 0's processor time, in all its threads, which other load disturbs less.
#include <ctime>

#include "raw_gloo.h"

namespace {

using namespace bench;

double processor_microseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

// The times of one variant, round by round.
struct Cost {
  std::vector<double> time, processors;
};

std::vector<double> ratios(const std::vector<double>& ours, const std::vector<double>& raw) {
  std::vector<double> result;
  for (std::size_t i = 0; i < ours.size(); ++i) result.push_back(ours[i] / raw[i]);
  return result;
}

// Runs both alternately, so that other load on the machine slows both.
void row(RawGloo& raw, std::int64_t bytes, double seconds) {
  const td::Tensor t = td::zeros({bytes / 4});
  Cost cost[2];  // raw gloo, this group
  td::Tensor more = td::ones({1});
  const auto start = Clock::now();
  for (int turn = 0; more.item<int>(); ++turn) {
    for (const int which : {turn % 2, 1 - turn % 2}) {
      dist::barrier();
      const double before = processor_microseconds();
      const double time = microseconds([&] { which ? dist::all_reduce(t) : raw.all_reduce(t); });
      if (turn < 3) continue;
      cost[which].time.push_back(time);
      cost[which].processors.push_back(processor_microseconds() - before);
    }
    more.fill_(turn < 10 || std::chrono::duration<double>(Clock::now() - start).count() < seconds);
    dist::broadcast(more);
  }
  if (dist::get_rank()) return;
  std::printf("%10lld %12.1f %12.1f %8.2f %12.1f %12.1f %8.2f\n", static_cast<long long>(bytes),
              median(cost[0].time), median(cost[1].time),
              median(ratios(cost[1].time, cost[0].time)), median(cost[0].processors),
              median(cost[1].processors), median(ratios(cost[1].processors, cost[0].processors)));
  std::fflush(stdout);
}

void run(double seconds) {
  ::setenv("TD_TRANSPORT", "gloo", 1);
  dist::init_process_group("gloo");
  RawGloo raw;
  if (!dist::get_rank())
    std::printf("%d ranks, us\n%10s %12s %12s %8s %12s %12s %8s\n", dist::get_world_size(), "bytes",
                "raw gloo", "this group", "ratio", "processors", "", "ratio");
  for (const std::int64_t bytes :
       {4, 1 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20})
    row(raw, bytes, seconds);
  dist::destroy_process_group();
}

}  // namespace

int main(int argc, char** argv) { return bench::start_ranks(argc, argv, run); }
