// expect: wishes {cpu, cuda0} with "cuda0", which is no device: an error was expected, none was
// thrown Finds a typing mistake only if no device before it in the list exists.
#include <ostream>

#include "exercises.h"

td::Device pick_device(const std::vector<std::string>& wishes, std::ostream& log) {
  for (const auto& wish : wishes) {
    const td::Device device(wish);
    try {
      const td::Device found = td::check_device(device);
      log << "using " << found << '\n';
      return found;
    } catch (const td::DeviceError& error) {
      log << wish << " is not used: " << error.what() << '\n';
    }
  }
  log << "using cpu\n";
  return td::Device("cpu");
}
