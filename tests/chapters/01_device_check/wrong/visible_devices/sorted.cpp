// expect: CUDA_VISIBLE_DEVICES="2,0", 4 GPUs: expected {2, 0}, got {0, 2}
// Collects a set: the order is lost, and with it which GPU is cuda:0.
#include <set>
#include <sstream>

#include "exercises.h"

std::vector<int> visible_devices(const std::optional<std::string>& variable, int gpus) {
  std::set<int> visible;
  for (int i = 0; !variable && i < gpus; ++i) visible.insert(i);
  std::istringstream entries(variable.value_or(""));
  for (std::string entry; std::getline(entries, entry, ',');) {
    if (entry.empty() || entry.size() > 3 ||
        entry.find_first_not_of("0123456789") != std::string::npos || std::stoi(entry) >= gpus)
      break;
    visible.insert(std::stoi(entry));
  }
  return {visible.begin(), visible.end()};
}
