// expect: the error should say "cuda:3"; it says: invalid device ordinal
// CUDA's own words: true, and no help.
#include "exercises.h"

void refuse_device(const std::string&, int index, int count) {
  if (index < 0 || index >= count) throw td::DeviceError("invalid device ordinal");
}
