// A launch returns before its work is done: how long the host needs to launch matrix products, and
// when the device has computed them. time_launch is an exercise; with --mine it is yours.
#include <chrono>
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "exercises.h"
#include "td/td.h"

namespace {

/// Prints when the launches of a number of products returned, and when the products were done.
void show_launch(td::Device device, int products) {
  const auto m = td::ones({768, 768}, device);
  const auto work = [&] {
    for (int i = 0; i < products; ++i) td::mm(m, m);
  };
  const auto milliseconds = [] {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::milli>(now).count();
  };
  work();  // the first run loads code and allocates memory
  const LaunchTimes times = time_launch(device, work, milliseconds);
  std::cout << std::setw(10) << products << std::fixed << std::setprecision(3) << std::setw(15)
            << times.returned << " ms" << std::setw(10) << times.done << " ms\n";
}

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch01-launch", "Shows that a launch returns before its work is done.");
  return command.run(argc, argv, [&](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    std::cout << "  products   launches return   work done\n";
    for (const int products : {1, 4, 16}) show_launch(device, products);
  });
}
