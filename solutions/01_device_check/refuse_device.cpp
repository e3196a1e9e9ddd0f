// refuse_device: exercise 1.refuse_device, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

void refuse_device(const std::string& kind, int index, int count) {
  // blank: Return when it exists; else three messages: none, one, several. About 10 lines.
  if (index >= 0 && index < count) return;
  const std::string start = "there is no " + kind + ':' + std::to_string(index) + ": ";
  if (count == 0)
    throw td::DeviceError(start + "this machine has 0 " + kind +
                          " devices. `nvidia-smi` shows what the driver sees; or use cpu.");
  const std::string first = kind + ":0", last = kind + ':' + std::to_string(count - 1);
  if (count == 1)
    throw td::DeviceError(start + "this machine has 1 " + kind + " device. Use " + first + '.');
  throw td::DeviceError(start + "this machine has " + std::to_string(count) + ' ' + kind +
                        " devices, " + first + " to " + last + ". Use one of them.");
  // end
}
