// expect: CUDA_VISIBLE_DEVICES="1x", 4 GPUs: expected {}, got {1}
// Reads numbers with >>, which takes "1x", "+1" and " 1" for 1.
#include <sstream>

#include "exercises.h"

std::vector<int> visible_devices(const std::optional<std::string>& variable, int gpus) {
  std::vector<int> visible;
  if (!variable) {
    for (int i = 0; i < gpus; ++i) visible.push_back(i);
    return visible;
  }
  std::istringstream entries(*variable);
  for (int index = 0; entries >> index && index >= 0 && index < gpus;) {
    visible.push_back(index);
    if (entries.get() != ',') break;
  }
  return visible;
}
