// parse_device: exercise 1.parse_device, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

td::Device parse_device(const std::string& text, const std::vector<td::Device>& devices) {
  // blank: Read the form; look for the device; name the ones that exist. About 9 lines.
  td::Device wish(text);  //! throws for everything that is no device string
  if (wish == td::Device("cpu:0")) wish = td::kCPU;
  std::string message = "there is no \"" + text + "\" on this machine, which has";
  for (const td::Device device : devices) {
    const bool current = device.type() == wish.type() && !wish.has_index();
    if (device == wish || current) return wish;
    message += ' ' + device.str();
  }
  throw td::DeviceError(message);
  // end
}
