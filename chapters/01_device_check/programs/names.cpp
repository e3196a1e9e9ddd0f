// Names of devices, the current device, and a choice with a fallback. The functions are the
// chapter's exercises; with --mine they are yours.
#include <iostream>
#include <string>
#include <vector>

#include "app/app.h"
#include "exercises.h"
#include "td/td.h"

namespace {

void show_names() {
  const std::vector<td::Device> machine = {"cpu", "sim:0", "sim:1", "cuda:0", "cuda:1"};
  std::cout << "  names on a machine with two sim devices and two GPUs\n";
  for (const std::string text :
       {"cpu", "cuda", "cuda:1", "sim:1", "cuda:", "cuda:01", "tpu", "cuda:2"}) {
    try {
      const td::Device device = parse_device(text, machine);
      std::cout << "  \"" << text << "\": type " << td::device_type_name(device.type())
                << ", index " << device.index() << '\n';
    } catch (const td::DeviceError& error) {
      std::cout << "  \"" << text << "\" rejected: " << error.what() << '\n';
    }
  }
  std::cout << std::boolalpha << "  Device(kCUDA, 1) == Device(\"cuda:1\"): "
            << (td::Device(td::kCUDA, 1) == td::Device("cuda:1")) << '\n';
}

// anchor: current
void show_current() {
  std::cout << "\n  at the start, \"sim\" means   " << td::check_device("sim");
  {
    const td::DeviceGuard guard(td::Device(td::kSIM, td::device_count(td::kSIM) - 1));
    std::cout << "\n  while a guard is there      " << td::check_device("sim");
  }
  std::cout << "\n  after the guard             " << td::check_device("sim") << '\n';
}
// anchor end

void show_choice() {
  pick_device({"cuda:7", "sim:0", "cpu"}, std::cout << "  of cuda:7, sim:0 and cpu:\n");
}

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch01-names", "Shows how devices are named and chosen.");
  return command.run(argc, argv, [&](const app::Options& options) {
    app::choose_device(options);
    show_names();
    show_current();
    show_choice();
  });
}
