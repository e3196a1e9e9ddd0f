// expect: an error of another type was thrown
// A good text in an exception that no handler of DeviceError catches.
#include <stdexcept>

#include "exercises.h"

void refuse_device(const std::string& kind, int index, int count) {
  if (index >= 0 && index < count) return;
  throw std::runtime_error("there is no " + kind + ':' + std::to_string(index) + ": there are " +
                           std::to_string(count) + ", " + kind + ":0 to " + kind + ':' +
                           std::to_string(count - 1) + "; see nvidia-smi, or use cpu");
}
