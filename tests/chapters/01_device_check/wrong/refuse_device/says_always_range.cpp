// expect: "cuda:0 to cuda:0" is no help
// One sentence for all cases: with one device it becomes silly, with none it names cuda:-1.
#include "exercises.h"

void refuse_device(const std::string& kind, int index, int count) {
  if (index >= 0 && index < count) return;
  throw td::DeviceError("there is no " + kind + ':' + std::to_string(index) + ": there are " +
                        std::to_string(count) + ", " + kind + ":0 to " + kind + ':' +
                        std::to_string(count - 1) + "; see nvidia-smi, or use cpu");
}
