// expect: the line of cuda:127 should contain the reason
// Logs the fallback, but not why: the reader cannot tell a missing driver from a wrong index.
#include <ostream>

#include "exercises.h"

td::Device pick_device(const std::vector<std::string>& wishes, std::ostream& log) {
  for (const auto& wish : wishes) (void)td::Device(wish);
  for (const auto& wish : wishes) {
    try {
      const td::Device found = td::check_device(wish);
      log << "using " << found << '\n';
      return found;
    } catch (const td::DeviceError&) {
      log << wish << " is not available\n";
    }
  }
  log << "using cpu\n";
  return td::Device("cpu");
}
