// expect: CUDA_VISIBLE_DEVICES="0,7,1", 2 GPUs: expected {0}, got {}
// One entry that is not valid hides all GPUs.
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
    if (entry.empty() || entry.size() > 3 ||
        entry.find_first_not_of("0123456789") != std::string::npos || std::stoi(entry) >= gpus)
      return {};
    visible.push_back(std::stoi(entry));
  }
  return visible;
}
