// Chapter 01, device check: which devices there are, what they are called, whether driver and
// toolkit fit, who holds the memory, and why a GPU at all. Reads top to bottom; changes nothing.
#include <algorithm>
#include <chrono>
#include <functional>
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "exercises.h"
#include "td/base/parallel.h"
#include "td/device/backend.h"
#include "td/td.h"
#include "toolchain.h"

namespace {

// anchor: devices
void show_devices(td::Device device) {
  std::cout << "\n1. What there is\n";
  for (const td::DeviceType type : {td::kCPU, td::kSIM, td::kCUDA}) {
    const int count = td::device_count(type);
    std::cout << std::setw(7) << td::device_type_name(type) << std::setw(3) << count << "  "
              << (count > 0 ? td::device_name(td::Device(type))
                            : td::backend(type).unavailable_reason())
              << '\n';
  }
  std::cout << "  torch.cuda.is_available()    "
            << (td::device_count(td::kCUDA) > 0 ? "True" : "False")
            << "\n  the usual line of a script   " << first_device(td::device_count(td::kCUDA))
            << "\n  this program works on        " << device << "\n  the current sim device is    "
            << td::current_device(td::kSIM) << "\n  of cuda:7, sim:1 and cpu:\n";
  pick_device({"cuda:7", "sim:1", "cpu"}, std::cout);
}
// anchor end

// anchor: names
void show_names() {
  std::cout << "\n2. Names\n";
  for (const std::string text : {"sim", "sim:9", "cuda:", "tpu"}) {
    try {
      const DeviceName name = parse_device(text, {"cpu", "sim", "cuda"});
      std::cout << "  \"" << text << "\": kind " << name.kind << ", index " << name.index << '\n';
      const int count = td::device_count(td::Device(name.kind).type());
      if (name.index >= 0) refuse_device(name.kind, name.index, count);
    } catch (const td::DeviceError& error) {
      std::cout << "  \"" << text << "\" refused: " << error.what() << '\n';
    }
  }
}
// anchor end

// anchor: fit
void show_fit() {
  const std::string toolkit = toolchain::toolkit(), driver = toolchain::driver();
  std::cout << "\n3. Driver and toolkit\n  nvcc --version    "
            << (toolkit.empty() ? "not installed" : toolkit) << "\n  driver            "
            << (driver.empty() ? "none" : driver) << '\n';
  const std::string asked = driver.empty() ? "550.54.14" : driver;
  std::cout << "  on driver " << asked << ", a program built with toolkit\n";
  for (const std::string built_with : {"12.1", "12.6", "13.0"}) {
    const Fit fit = driver_fits(asked, built_with, toolchain::releases());
    std::cout << "    " << built_with
              << (fit == Fit::kFull           ? "  runs\n"
                  : fit == Fit::kMinorVersion ? "  runs, except for PTX of its own version\n"
                                              : "  finds no GPU\n");
  }
}
// anchor end

// anchor: memory
void show_memory(td::Device device) {
  std::cout << "\n4. Memory of " << device << ", in MiB\n"
            << "                      in tensors   kept by us   free on the device\n";
  const auto line = [&](const char* when) {
    const td::MemoryStats stats = td::memory_stats(device);
    std::size_t free = 0, total = 0;
    td::backend(device.type()).memory(std::max(device.index(), 0), &free, &total);
    std::cout << "  " << std::left << std::setw(20) << when << std::right << std::setw(10)
              << (stats.allocated >> 20) << std::setw(13) << (stats.reserved >> 20) << std::setw(13)
              << (free >> 20) << " of " << (total >> 20) << '\n';
  };
  line("at the start");
  {
    const auto x = td::empty({64, 1024, 256}, device);
    line("with 64 MiB");
  }
  line("the tensor is gone");
  td::empty_cache();
  line("after empty_cache");
  const std::string others = toolchain::processes();
  std::cout << "  processes on GPUs, by nvidia-smi: "
            << (others.empty() ? "none\n" : '\n' + others);
}
// anchor end

// anchor: clock
/// Milliseconds that `work` takes: the median of 7 runs after one that warms up. A device works on
/// while the host goes ahead, so the clock is read only after synchronize.
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
// anchor end

// anchor: why
void measure(const std::string& what, td::Device device) {
  const auto sum_of = [&](std::int64_t n) {
    const auto a = td::ones({n}, device), b = td::ones({n}, device);
    return milliseconds(device, [&] { a + b; });
  };
  const std::int64_t small = 1000, large = 8'000'000, side = 768;
  const auto m = td::ones({side, side}, device);
  const double product = milliseconds(device, [&] { td::mm(m, m); });
  const double bytes = 3.0 * sizeof(float) * large;  // two read, one written
  std::cout << "  " << std::left << std::setw(18) << what << std::right << std::fixed
            << std::setprecision(1) << std::setw(9) << 1000 * sum_of(small) << " us"
            << std::setw(12) << bytes / 1e6 / sum_of(large) << " GB/s" << std::setw(11)
            << 2.0 * side * side * side / 1e6 / product << " GFLOP/s\n";
}

void show_why(td::Device device) {
  std::cout
      << "\n5. Why a GPU\n                      1,000 sums   8,000,000 sums    matrix product\n";
  const int cores = td::parallel_width();
  td::set_parallel_width(1);
  measure("cpu, 1 core", td::kCPU);
  td::set_parallel_width(cores);
  measure("cpu, " + std::to_string(cores) + " cores", td::kCPU);
  if (!device.is_cpu()) measure(device.str(), device);
}
// anchor end

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch01_device_check",
                       "Shows the devices of this machine and what they can do.");
  return command.run(argc, argv, [](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    show_devices(device);
    show_names();
    show_fit();
    show_memory(device);
    show_why(device);
  });
}
