// expect: CUDA_VISIBLE_DEVICES="11,2", 16 GPUs: expected {11, 2}, got {}
// An index has one digit on small machines only.
#include <sstream>

#include "exercises.h"

std::vector<int> visible_devices(const std::optional<std::string>& variable, int gpus) {
  std::vector<int> visible;
  if (!variable) {
    for (int i = 0; i < gpus; ++i) visible.push_back(i);
    return visible;
  }
  std::istringstream entries(*variable);
  for (std::string entry; std::getline(entries, entry, ',');) {
    if (entry.size() != 1 || entry[0] < '0' || entry[0] > '9' || entry[0] - '0' >= gpus) break;
    visible.push_back(entry[0] - '0');
  }
  return visible;
}
