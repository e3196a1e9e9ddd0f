// Latency and bandwidth of the link to a device, from the times of copies of several sizes.
// fit_link, predict_seconds and half_bandwidth_bytes are an exercise; with --mine they are yours.
#include <algorithm>
#include <chrono>
#include <iomanip>
#include <iostream>
#include <vector>

#include "app/app.h"
#include "exercises.h"
#include "td/td.h"

namespace {

/// Returns the seconds of a copy from the host to the device: the fastest of 20. It blocks until
/// the copy has finished.
double measured_seconds(std::int64_t bytes, td::Device device) {
  const auto host = td::ones({bytes / 4}), there = td::empty({bytes / 4}, device);
  double best = 1e9;
  for (int run = 0; run < 20; ++run) {
    const auto start = std::chrono::steady_clock::now();
    there.copy_(host);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

void show_copy(std::int64_t bytes, double seconds, const LinkCost& link) {
  std::cout << std::setw(12) << bytes << std::setw(12) << 1e6 * seconds << " us" << std::setw(12)
            << 1e6 * predict_seconds(link, static_cast<double>(bytes)) << " us\n";
}

void show_link(td::Device device) {
  const std::vector<std::int64_t> sizes = {100'000, 200'000, 400'000, 600'000, 800'000, 1'000'000};
  std::vector<double> seconds;
  for (const auto size : sizes) seconds.push_back(measured_seconds(size, device));
  const LinkCost link = fit_link(sizes, seconds);
  std::cout << std::fixed << std::setprecision(1) << "       bytes       measured    on the line\n";
  for (std::size_t i = 0; i < sizes.size(); ++i) show_copy(sizes[i], seconds[i], link);
  std::cout << "latency " << 1e6 * link.latency << " us, bandwidth " << 1e-9 * link.bandwidth
            << " GB/s; half of it at " << std::setprecision(0) << half_bandwidth_bytes(link)
            << " bytes\n"
            << std::setprecision(1) << "a copy that the line was not fitted to:\n";
  show_copy(500'000, measured_seconds(500'000, device), link);
}

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch02-link", "Finds latency and bandwidth of the link to a device.");
  return command.run(argc, argv,
                     [&](const app::Options& options) { show_link(app::choose_device(options)); });
}
