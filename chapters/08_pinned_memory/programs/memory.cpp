// Where one tensor is stored: in pageable and pinned memory of the host, and in the memory of each
// device. tools/pictures.py draws what it prints.
#include <iomanip>
#include <iostream>
#include <string>

#include "app/app.h"
#include "td/device/backend.h"
#include "td/td.h"

namespace {

void print_tensor(const std::string& name, const td::Tensor& x) {
  std::cout << std::setw(10) << name << std::setw(9) << x.device().str() << std::setw(17)
            << x.data_ptr() << std::setw(11) << x.numel() * 4 << "   "
            << (x.device().is_cpu() ? "yes" : "no") << '\n';
}

/// Prints address and size of the same matrix in every memory that `device`'s kind has.
void print(td::Device device) {
  const td::Tensor pageable = td::ones({1024, 1024}), pinned = pageable.pin_memory();
  std::cout << "a matrix of 1024 x 1024 floats\n"
            << "              device          address      bytes   accessible to the host\n";
  print_tensor("pageable", pageable);
  print_tensor("pinned", pinned);
  for (int i = 0; i < td::device_count(device.type()); ++i) {
    const td::Device to(device.type(), i);
    const td::Tensor copy = pinned.to(to);
    print_tensor("copy", copy);
    std::size_t free = 0, total = 0;
    td::backend(to.type()).memory(to.index(), &free, &total);
    std::cout << "    memory of " << to << ": " << (total >> 20) << " MiB, " << (free >> 20)
              << " MiB are free\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  app::Command command("ch08-memory", "Shows where a tensor is stored.");
  return command.run(argc, argv, [&](const app::Options& options) {
    const td::Device device = app::choose_device(options);
    TD_CHECK(app::OptionError, !device.is_cpu(),
             "this program needs a device with a link to the host; use --device sim");
    print(device);
  });
}
