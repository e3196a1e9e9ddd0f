// Why a GPU is fast: sums and products on the cpu, with one core and with all, and on a device.
// --timeline draws asynchronous work.
#include <algorithm>
#include <chrono>
#include <functional>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include "app/app.h"
#include "td/base/parallel.h"
#include "td/td.h"

namespace {

/// Returns the milliseconds that `work` takes: the median of 7 runs after one warm-up run. Device
/// work is asynchronous, so the clock is read only after synchronize.
double milliseconds(td::Device device, const std::function<void()>& work) {
  std::vector<double> times;
  for (int run = 0; run < 8; ++run) {
    td::synchronize(device);
    const auto start = std::chrono::steady_clock::now();
    work();
    td::synchronize(device);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    if (run > 0) times.push_back(took.count());
  }
  std::nth_element(times.begin(), times.begin() + 3, times.end());
  return times[3];
}

constexpr std::int64_t kSmall = 1000, kLarge = 8'000'000, kSide = 768;

/// Prints one line: three measurements on a device.
void measure(const std::string& what, td::Device device) {
  const auto sum_of = [&](std::int64_t n) {
    const auto a = td::ones({n}, device), b = td::ones({n}, device);
    return milliseconds(device, [&] { a + b; });
  };
  const auto m = td::ones({kSide, kSide}, device);
  const double product = milliseconds(device, [&] { td::mm(m, m); });
  const double bytes = 3.0 * sizeof(float) * kLarge;  // two read, one written
  std::cout << "  " << std::left << std::setw(18) << what << std::right << std::fixed
            << std::setprecision(1) << std::setw(9) << 1000 * sum_of(kSmall) << " us"
            << std::setw(12) << bytes / 1e6 / sum_of(kLarge) << " GB/s" << std::setw(11)
            << 2.0 * kSide * kSide * kSide / 1e6 / product << " GFLOP/s\n";
}

/// Prints the measurements of the cpu, with one core and with all, and of `device`.
void show_why(td::Device device) {
  std::cout << "one product of 768 x 768 matrices: " << 2 * kSide * kSide * kSide << " operations, "
            << 3 * kSide * kSide * sizeof(float) << " bytes\n"
            << "one sum of 8000000 elements: " << kLarge << " operations, "
            << 3 * kLarge * sizeof(float) << " bytes\n"
            << "                      1,000 sums   8,000,000 sums    matrix product\n";
  const int cores = td::parallel_width();
  td::set_parallel_width(1);
  measure("cpu, 1 core", td::kCPU);
  td::set_parallel_width(cores);
  measure("cpu, " + std::to_string(cores) + " cores", td::kCPU);
  if (!device.is_cpu()) measure(device.str(), device);
}

/// Draws three products: how long the host needs to launch them, and how long the device computes.
void draw(td::Device device, const std::string& file) {
  const auto m = td::ones({kSide, kSide}, device);
  td::mm(m, m);
  td::synchronize(device);
  td::trace::start();
  {
    const td::trace::Span span("launch 3 products");
    for (int i = 0; i < 3; ++i) td::mm(m, m);
  }
  {
    const td::trace::Span span("synchronize");
    td::synchronize(device);
  }
  td::trace::write_svg(td::trace::stop(), file, td::trace::PictureOptions().host(true));
}

}  // namespace

int main(int argc, char** argv) {
  std::string timeline;
  app::Command command("ch01-speed", "Times sums and matrix products.");
  command.option("--timeline", timeline, "draw three matrix products into this .svg");
  return command.run(argc, argv, [&](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    if (timeline.empty())
      show_why(device);
    else
      draw(device, timeline);
  });
}
