// What a move costs: gigabytes per second of small and large copies.
#include <algorithm>
#include <chrono>
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "td/td.h"

namespace {

// anchor: time
/// Returns gigabytes per second from host to device: the best of five copies. copy_ blocks the host
/// until the copy has finished.
double bandwidth(const td::Tensor& host, td::Device device) {
  const auto there = td::empty(host.sizes(), device);
  double best = 0;
  for (int run = 0; run < 5; ++run) {
    const auto start = std::chrono::steady_clock::now();
    there.copy_(host);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::max(best, static_cast<double>(host.nbytes()) / took.count() / 1e9);
  }
  return best;
}
// anchor end

/// Prints the bandwidth of three sizes.
void time_it(td::Device device) {
  for (const std::int64_t n : {1'000, 100'000, 10'000'000})
    std::cout << std::setw(12) << n << " floats to " << device << std::fixed << std::setprecision(2)
              << std::setw(9) << bandwidth(td::ones({n}), device) << " GB/s\n";
}

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch02-bandwidth", "Times copies of three sizes.");
  return command.run(argc, argv,
                     [&](const app::Options& options) { time_it(app::choose_device(options)); });
}
