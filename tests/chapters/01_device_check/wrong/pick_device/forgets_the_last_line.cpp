// expect: wishes {cuda:127}: two lines were expected, the last one with cpu
// Logs what it tried and what it found, but not the last fallback.
#include <ostream>

#include "exercises.h"

td::Device pick_device(const std::vector<std::string>& wishes, std::ostream& log) {
  std::vector<td::Device> parsed(wishes.begin(), wishes.end());
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    try {
      const td::Device found = td::check_device(parsed[i]);
      log << "using " << found << '\n';
      return found;
    } catch (const td::DeviceError& error) {
      log << wishes[i] << ": " << error.what() << '\n';
    }
  }
  return td::Device("cpu");
}
