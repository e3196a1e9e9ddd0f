// Chapter 01, device check: which devices this machine has, and a first tensor on one of them.
#include <iostream>

#include "app/app.h"
#include "td/device/backend.h"
#include "td/td.h"

int main(int argc, char** argv) {
  const td::Device device = app::start(argc, argv, "Shows the devices of this machine.");

  for (const td::DeviceType type : {td::kCPU, td::kSIM, td::kCUDA}) {
    const int count = td::device_count(type);
    std::cout << td::device_type_name(type) << ": " << count << '\n';
    if (count == 0) std::cout << "  " << td::backend(type).unavailable_reason() << '\n';
    for (int i = 0; i < count; ++i) {
      const td::Device one = td::check_device(td::Device(type, i));
      std::cout << "  " << one << "  " << td::device_name(one) << '\n';
    }
  }

  // The line that every PyTorch script begins with.
  const bool is_available = td::device_count(td::kCUDA) > 0;
  const td::Device usual(is_available ? "cuda:0" : "cpu");
  std::cout << "\nIs a GPU available? " << (is_available ? "yes" : "no") << "; so use " << usual
            << '\n';

  const td::Tensor x = td::tensor({1.0, 2.0, 3.0}, device);
  std::cout << "\nx     " << x << "\nx * x " << x * x << '\n';
}
