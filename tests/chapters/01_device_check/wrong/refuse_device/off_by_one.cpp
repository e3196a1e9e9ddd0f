// expect: refuse_device("cuda", 2, 2): an error was expected, none was thrown
// Right on the README's example; index == count slips through.
#include "exercises.h"

void refuse_device(const std::string& kind, int index, int count) {
  if (index >= 0 && index <= count) return;
  throw td::DeviceError("there is no " + kind + ':' + std::to_string(index) + ": there are " +
                        std::to_string(count) + ", " + kind + ":0" +
                        (count > 1 ? " to " + kind + ':' + std::to_string(count - 1) : "") +
                        "; see nvidia-smi, or use cpu");
}
