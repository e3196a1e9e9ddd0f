// expect: three lines were expected, for cuda:127, sim:99 and sim:0
// Picks the right device but logs nothing: a reader of the output takes the cpu for a GPU.
#include <ostream>

#include "exercises.h"

td::Device pick_device(const std::vector<std::string>& wishes, std::ostream&) {
  for (const auto& wish : wishes) {
    const td::Device device(wish);
    try {
      return td::check_device(device);
    } catch (const td::DeviceError&) {
    }
  }
  return td::Device("cpu");
}
