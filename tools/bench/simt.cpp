// The cost of the SIMT machine: kernels of chapters 11 and 12 against a C++ loop, a switch between
// threads, and kernels under all observers. Prints the table of docs/measurements/simt.md.
//     bench_simt
// Invariant: loop and kernels run interleaved, so that other load on the machine slows all of them.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

#include "../../chapters/11_kernels_threads/exercises/kernels.h"
#include "../../chapters/12_kernels_cooperation/exercises/kernels.h"
#include "launch/launch.h"
#include "simt/observe.h"
#include "td/td.h"

namespace {

using td::Tensor;
using td::simt::launch;

constexpr int kRounds = 15, kLarge = 1 << 20, kSmall = 1 << 16, kThreads = 256, kBarriers = 9;

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  td::synchronize("sim:0");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// One kind of work and how long it took, in each round.
struct Row {
  const char* name;
  std::function<void()> work;
  std::vector<double> seconds = {};

  double percentile(double p) {
    const auto at = seconds.begin() + static_cast<std::ptrdiff_t>(p * (kRounds - 1));
    std::nth_element(seconds.begin(), at, seconds.end());
    return *at;
  }
};

[[gnu::noinline]] void add_loop(const float* a, const float* b, float* c, int n) {
  for (int i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

void observe_one(const std::function<void()>& work) { td::simt::observe({}, work); }

}  // namespace

int main() {
  const Tensor a = td::ones({kLarge}, "sim:0"), b = td::ones_like(a), c = td::empty_like(a);
  const Tensor x = td::ones({kSmall}, "sim:0"), y = td::ones_like(x), z = td::empty_like(x);
  const Tensor sums = td::empty({kLarge / kThreads}, "sim:0");
  std::vector<float> on_host(3 * kLarge, 1.0f);
  float* const p = on_host.data();
  const auto blocks = [](int n) { return static_cast<unsigned>(n / kThreads); };
  const auto add_small = [&] { launch<add>({blocks(kSmall), kThreads}, x, y, z, kSmall); };
  const auto sum_small = [&] { launch<block_sum>({blocks(kSmall), kThreads}, x, sums, kSmall); };
  Row rows[] = {
      {"C++ loop, 2^20 additions", [&] { add_loop(p, p + kLarge, p + 2 * kLarge, kLarge); }},
      {"add, 2^20 threads",
       [&] {
         launch<add>({blocks(kLarge), kThreads}, a, b, c, kLarge);
       }},
      {"block_sum, 2^20 threads",
       [&] {
         launch<block_sum>({blocks(kLarge), kThreads}, a, sums, kLarge);
       }},
      {"add, 65,536 threads, observed", [&] { observe_one(add_small); }},
      {"block_sum, 65,536 threads, observed", [&] { observe_one(sum_small); }},
  };
  for (int round = -1; round < kRounds; ++round)  // the first one does not count
    for (Row& row : rows) {
      const double seconds = seconds_of(row.work);
      if (round >= 0) row.seconds.push_back(seconds);
    }
  std::printf("| what | median (p10 - p90) |\n|---|---|\n");
  for (Row& row : rows)
    std::printf("| %s | %.2f ms (%.2f - %.2f) |\n", row.name, 1e3 * row.percentile(0.5),
                1e3 * row.percentile(0.1), 1e3 * row.percentile(0.9));
  std::printf(
      "\nadd takes %.1f times as long as the loop; block_sum %.0f ns per thread and barrier\n",
      rows[1].percentile(0.5) / rows[0].percentile(0.5),
      1e9 * rows[2].percentile(0.5) / (double(kLarge) * kBarriers));
}
