// expect: wishes {sim:99, sim:0}: expected sim:0, got sim:99
// Right on the README's example. Asks whether there is any device of the kind, not whether this one
// exists.
#include <ostream>

#include "exercises.h"

td::Device pick_device(const std::vector<std::string>& wishes, std::ostream& log) {
  for (const auto& wish : wishes) {
    const td::Device device(wish);
    if (td::device_count(device.type()) > 0) {
      log << "using " << device << '\n';
      return device.is_cpu() || device.has_index() ? device : td::check_device(device);
    }
    log << wish << ": this machine has no such device\n";
  }
  log << "using cpu\n";
  return td::Device("cpu");
}
