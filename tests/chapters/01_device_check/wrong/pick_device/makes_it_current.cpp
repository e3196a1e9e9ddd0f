// expect: look for set_device
// Tries a device by making it current, and leaves it so.
#include <ostream>

#include "exercises.h"
#include "td/device/stream.h"

td::Device pick_device(const std::vector<std::string>& wishes, std::ostream& log) {
  for (const auto& wish : wishes) (void)td::Device(wish);
  for (const auto& wish : wishes) {
    try {
      const td::Device found = td::check_device(wish);
      if (!found.is_cpu()) td::set_device(found);
      log << "using " << found << '\n';
      return found;
    } catch (const td::DeviceError& error) {
      log << wish << " is not used: " << error.what() << '\n';
    }
  }
  log << "using cpu\n";
  return td::Device("cpu");
}
