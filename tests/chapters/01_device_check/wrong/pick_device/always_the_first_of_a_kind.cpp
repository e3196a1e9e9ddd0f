// expect: wishes {sim}: expected sim:1, got sim:0
// Takes "sim" for sim:0. That holds until somebody makes another device current.
#include <ostream>

#include "exercises.h"

td::Device pick_device(const std::vector<std::string>& wishes, std::ostream& log) {
  for (const auto& wish : wishes) {
    const td::Device device(wish);
    const int index = device.has_index() ? device.index() : 0;
    if (index < td::device_count(device.type())) {
      const td::Device found = device.is_cpu() ? device : td::Device(device.type(), index);
      log << "using " << found << '\n';
      return found;
    }
    log << wish << " passed over: this machine does not have it\n";
  }
  log << "using cpu\n";
  return td::Device("cpu");
}
