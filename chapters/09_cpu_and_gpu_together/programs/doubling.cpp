// The preprocessing of main.cpp, data * 2, on the CPU and on the device.
#include <iostream>

#include "app/app.h"
#include "app/interleaved.h"
#include "td/td.h"

namespace {

void compare(td::Device device, std::int64_t images) {
  const td::Tensor data = td::randn({images, 3, 32, 32}), there = data.to(device);
  const auto on_host = [&] { const td::Tensor doubled = data * 2; };
  const auto on_device = [&] {
    const td::Tensor doubled = there * 2;
    td::synchronize(device);
  };
  const std::vector<double> seconds = app::median_seconds_interleaved({on_host, on_device}, 15);
  std::cout << "data * 2 of " << images << " images takes " << 1e3 * seconds[0]
            << " ms on the CPU, " << 1e3 * seconds[1] << " ms on " << device << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch09-doubling", "Times data * 2 on the CPU and on a device.");
  command.takes({"batch-size"});
  command.options.batch_size = 256;
  return command.run(argc, argv, [](const app::Options& options) {
    compare(app::choose_device(options), options.batch_size);
  });
}
