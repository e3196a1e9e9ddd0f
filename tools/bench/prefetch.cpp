// The cost of the prefetcher itself: batches whose copies take as long as the work on them. The
// work is a kernel that sleeps, so that a busy processor does not disturb the result.
// docs/measurements/pinned_memory.md shows it. Invariant: only copies and work are counted.
#include <algorithm>
#include <cstdio>
#include <thread>

#include "sim/sim.h"
#include "td/device/backend.h"
#include "td/td.h"

namespace {

constexpr int kBatches = 24, kTurns = 7;
const td::Device kSim("sim:0");

void work() {
  td::Record record("work");
  record.set_work([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
  td::backend(td::kSIM).submit(record, 0, td::getCurrentStream(kSim).native());
}

template <class Loop>
void measure(const char* name, const Loop& loop) {
  std::vector<double> overlaps, ratios;
  for (int turn = 0; turn < kTurns; ++turn) {
    td::trace::start();
    loop();
    const td::trace::OverlapTimes times = td::trace::overlap_times(td::trace::stop());
    overlaps.push_back(times.efficiency());
    ratios.push_back(times.measured / times.bound);
  }
  std::sort(overlaps.begin(), overlaps.end());
  std::sort(ratios.begin(), ratios.end());
  std::printf("%-12s overlap %6.3f (%.3f to %.3f), time / the longer one %.3f\n", name,
              overlaps[kTurns / 2], overlaps.front(), overlaps.back(), ratios[kTurns / 2]);
}

}  // namespace

int main() {
  td::sim::set_link({1e6, 20000});  // 20 ms per copy of any size
  std::vector<td::Tensor> batches;
  for (int i = 0; i < kBatches; ++i) batches.push_back(td::full({4, 1000}, i).pin_memory());
  measure("one stream", [&] {
    for (const td::Tensor& batch : batches) {
      const td::Tensor moved = batch.to(kSim, batch.dtype(), /*non_blocking=*/true);
      work();
    }
  });
  for (const std::size_t slots : {1u, 2u, 3u})
    measure(slots == 1   ? "1 slot"
            : slots == 2 ? "2 slots"
                         : "3 slots",
            [&] {
              for (const td::Tensor& batch : td::data::prefetch(batches, kSim, slots)) {
                static_cast<void>(batch);
                work();
              }
            });
}
