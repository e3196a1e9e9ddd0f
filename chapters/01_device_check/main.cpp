// Chapter 01, device check: which devices exist, what they are called, whether driver and toolkit
// fit, how much memory is free, and why a GPU is fast. It changes nothing on the machine.
#include <algorithm>
#include <iomanip>
#include <iostream>

#include "app/app.h"
#include "exercises.h"
#include "measure.h"
#include "td/device/backend.h"
#include "td/td.h"
#include "toolchain.h"

namespace {

// anchor: devices
void show_devices() {
  std::cout << "\n1. Devices of this machine\n";
  for (const td::DeviceType type : {td::kCPU, td::kSIM, td::kCUDA}) {
    const int count = td::device_count(type);
    std::cout << "  " << std::left << std::setw(8) << td::device_type_name(type) << std::right
              << count << (count == 1 ? " device\n" : " devices\n");
    if (count == 0) std::cout << "    " << td::backend(type).unavailable_reason() << '\n';
    for (int i = 0; i < count; ++i) {
      const td::Device device = td::check_device(td::Device(type, i));
      std::cout << "    " << device << ": " << td::device_name(device) << '\n';
    }
  }
  const int gpus = td::device_count(td::kCUDA);
  std::cout << "  torch.cuda.is_available()  " << (gpus > 0 ? "True" : "False")
            << "\n  \"cuda:0\" or else \"cpu\"     " << first_device(gpus) << '\n';
}
// anchor end

// anchor: names
void show_names() {
  std::cout << "\n2. Names\n";
  for (const std::string text : {"cpu", "cuda", "cuda:1", "sim:1", "cuda:", "cuda:01", "tpu"}) {
    try {
      const DeviceName name = parse_device(text, {"cpu", "sim", "cuda"});
      std::cout << "  \"" << text << "\": type " << name.kind << ", index " << name.index << '\n';
    } catch (const td::DeviceError& error) {
      std::cout << "  \"" << text << "\" rejected: " << error.what() << '\n';
    }
  }
  std::cout << std::boolalpha << "  Device(kCUDA, 1) == Device(\"cuda:1\"): "
            << (td::Device(td::kCUDA, 1) == td::Device("cuda:1")) << '\n';
  const auto visible = visible_devices("2,0", 4);
  std::cout << "  CUDA_VISIBLE_DEVICES=2,0 on 4 GPUs: cuda:0 is GPU " << visible[0]
            << ", cuda:1 is GPU " << visible[1] << '\n';
}
// anchor end

// anchor: current
void show_current() {
  std::cout << "\n3. The current device\n  at the start, \"sim\" means     "
            << td::check_device("sim");
  {
    const td::DeviceGuard guard(td::Device(td::kSIM, td::device_count(td::kSIM) - 1));
    std::cout << "\n  while a guard is there      " << td::check_device("sim");
  }
  std::cout << "\n  after the guard             " << td::check_device("sim") << '\n';
}
// anchor end

void show_choice() {
  pick_device({"cuda:7", "sim:0", "cpu"}, std::cout << "  of cuda:7, sim:0 and cpu:\n");
  const auto environment = [](const std::string&) { return std::string("sim:9"); };
  start_program({"--epochs", "3"}, environment, std::cout << "  with TD_DEVICE=sim:9:\n");
}

// anchor: fit
void show_fit() {
  const std::string toolkit = toolchain::toolkit(), driver = toolchain::driver();
  std::cout << "\n4. Driver and toolkit\n  nvcc --version    "
            << (toolkit.empty() ? "not installed" : toolkit) << "\n  driver            "
            << (driver.empty() ? "none" : driver) << '\n';
  for (const std::string& version : {std::string("470.82.01"), std::string("550.54.14"), driver})
    for (const std::string built_with : {"11.8", "12.6", "13.0"}) {
      if (version.empty()) continue;
      const Fit fit = driver_fits(version, built_with, toolchain::releases());
      std::cout << "  driver " << version << ", program of CUDA " << built_with
                << (fit == Fit::kFull           ? ": runs\n"
                    : fit == Fit::kMinorVersion ? ": runs, but not PTX of its own version\n"
                                                : ": finds no GPU\n");
    }
}
// anchor end

// anchor: memory
void show_memory(td::Device device) {
  std::cout << "\n5. Memory of " << device << ", in MiB\n"
            << "                      in tensors     reserved   free on the device\n";
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
    line("with a tensor");
    if (td::device_count(device.type()) > 1)
      std::cout << "  most free memory:     "
                << emptiest_device({{device.type(), 0}, {device.type(), 1}}) << '\n';
  }
  line("tensor released");
  td::empty_cache();
  line("after empty_cache");
  const std::string others = toolchain::processes();
  std::cout << "  processes on GPUs, by nvidia-smi: "
            << (others.empty() ? "none\n" : '\n' + others);
}
// anchor end

}  // namespace

int main(int argc, char** argv) {
  std::string timeline;
  app::Command command("ch01_device_check",
                       "Shows the devices of this machine and what they can do.");
  command.option("--timeline", timeline, "draw three matrix products into this .svg");
  return command.run(argc, argv, [&](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    if (!timeline.empty()) return draw(device, timeline);
    show_devices();
    show_names();
    show_current();
    show_choice();
    show_fit();
    show_memory(device);
    show_why(device);
  });
}
