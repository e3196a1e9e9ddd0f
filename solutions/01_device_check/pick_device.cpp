// pick_device: exercise 1.pick_device, declared in exercises.h.
#include <ostream>

#include "exercises.h"
#include "td/exercise.h"

td::Device pick_device(const std::vector<std::string>& wishes, std::ostream& log) {
  // blank: First parse all wishes; then try them in order. About 12 lines.
  for (const auto& wish : wishes) td::Device parsed(wish);  //! throws for a typing mistake
  for (const auto& wish : wishes) {
    try {
      const td::Device found = td::check_device(wish);
      log << "using " << found << '\n';
      return found;
    } catch (const td::DeviceError& reason) {
      log << wish << " is not used: " << reason.what() << '\n';
    }
  }
  log << "using cpu\n";
  return td::Device("cpu");
  // end
}
