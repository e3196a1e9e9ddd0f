// expect: wishes {cpu:1, sim:0}: expected sim:0, got cpu:1
// Does not check the index of a cpu, as if every cpu device existed.
#include <ostream>

#include "exercises.h"

td::Device pick_device(const std::vector<std::string>& wishes, std::ostream& log) {
  const std::vector<td::Device> parsed(wishes.begin(), wishes.end());
  for (const td::Device wish : parsed) {
    try {
      const td::Device found = wish.is_cpu() ? wish : td::check_device(wish);
      log << "using " << found << '\n';
      return found;
    } catch (const td::DeviceError& error) {
      log << wish << " is not used: " << error.what() << '\n';
    }
  }
  log << "using cpu\n";
  return td::Device("cpu");
}
