// The table of bandwidths: both directions, pageable and pinned memory, small and large copies.
// Every number is a median of copies that were waited for. gb_per_s, copy_seconds and PinnedBuffer
// are exercises; with --mine they are yours.
#include <chrono>
#include <iomanip>
#include <iostream>
#include <string>

#include "app/app.h"
#include "exercises.h"

namespace {

/// GB/s of copies between the host and a device; `both` is the sum of both directions.
struct Bandwidth {
  double pageable_up, pinned_up, pageable_down, pinned_down, both;
};

/// Seconds until a copy in each direction is done, on two streams: the slower of the two.
double both_ways_seconds(const td::Tensor& up_to, const td::Tensor& up_from,
                         const td::Tensor& down_to, const td::Tensor& down_from, int runs) {
  const td::Stream up = td::getStreamFromPool(up_to.device());
  const td::Stream down = td::getStreamFromPool(up_to.device());
  std::vector<double> seconds;
  for (int run = 0; run <= runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    {
      const td::StreamGuard guard(up);
      up_to.copy_(up_from, /*non_blocking=*/true);
    }
    {
      const td::StreamGuard guard(down);
      down_to.copy_(down_from, /*non_blocking=*/true);
    }
    up.synchronize();
    down.synchronize();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (run > 0) seconds.push_back(taken.count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

Bandwidth measure(std::size_t bytes, td::Device device, int runs) {
  const std::int64_t count = static_cast<std::int64_t>(bytes / sizeof(float));
  PinnedBuffer up_memory(device.type(), bytes), down_memory(device.type(), bytes);
  const td::Tensor up = td::from_blob(up_memory.data(), {count});
  const td::Tensor down = td::from_blob(down_memory.data(), {count});
  const td::Tensor pageable = td::zeros({count}), there = td::zeros({count}, device),
                   second = td::zeros({count}, device);
  up.fill_(1);  // the first write to memory causes page faults
  down.fill_(1);
  td::synchronize(device);
  const auto rate = [&](const td::Tensor& to, const td::Tensor& from) {
    return gb_per_s(bytes, copy_seconds(to, from, runs));
  };
  Bandwidth all{rate(there, pageable), rate(there, up), rate(pageable, there), rate(down, there),
                gb_per_s(2 * bytes, both_ways_seconds(there, up, down, second, runs))};
  for (PinnedBuffer* memory : {&up_memory, &down_memory})
    memory->used_on(td::getCurrentStream(device));
  return all;
}

/// "4 KiB", "256 MiB".
std::string size_text(std::size_t bytes) {
  return bytes < (1 << 20) ? std::to_string(bytes >> 10) + " KiB"
                           : std::to_string(bytes >> 20) + " MiB";
}

/// Sizes from 4 KiB to `largest`, each four times the last, as long as they fit into the device.
void print_bandwidth(td::Device device, std::size_t largest) {
  std::cout << "GB/s (10^9 bytes per second), medians of 5 copies\n"
            << "             to the device         to the host       both at once\n"
            << "          pageable   pinned     pageable   pinned        pinned\n";
  std::size_t last = 4 << 10;
  for (std::size_t bytes = last; bytes <= largest; bytes *= 4) {
    Bandwidth b{};
    try {
      b = measure(bytes, device, 5);
    } catch (const td::OutOfMemoryError&) {
      std::cout << std::setw(8) << size_text(bytes) << "  does not fit\n";
      return;
    }
    std::cout << std::fixed << std::setprecision(2) << std::setw(8) << size_text(bytes)
              << std::setw(9) << b.pageable_up << std::setw(9) << b.pinned_up << std::setw(13)
              << b.pageable_down << std::setw(9) << b.pinned_down << std::setw(14) << b.both
              << std::endl;
    last = bytes;
  }
  td::empty_cache();  // pinned memory is scarce: release it after the table
}

}  // namespace

int main(int argc, char** argv) {
  std::int64_t largest = 256;
  app::Command command("ch08-bandwidth", "Measures copies between host and device.");
  command.option("--largest", largest, "MiB of the largest copy in the table", 1);
  return command.run(argc, argv, [&](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    TD_CHECK(app::OptionError, !device.is_cpu(),
             "this program needs a device with a link to the host; use --device sim");
    print_bandwidth(device, static_cast<std::size_t>(largest) << 20);
  });
}
