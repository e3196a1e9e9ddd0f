// pick_device: exercise 1.pick_device, declared in exercises.h.
#include <ostream>

#include "exercises.h"
#include "td/exercise.h"

td::Device pick_device(const std::vector<std::string>& wishes, std::ostream& log) {
  // blank: Tell a wish that is no device from one that is not here. About 10 lines.
  for (const auto& wish : wishes) {
    const td::Device device(wish);  //! outside of try: a typing mistake is not a missing device
    try {
      const td::Device found = td::check_device(device);
      log << "using " << found << '\n';
      return found;
    } catch (const td::DeviceError& reason) {
      log << wish << " passed over: " << reason.what() << '\n';
    }
  }
  log << "using cpu\n";
  return td::Device("cpu");
  // end
}
