// expect: the function never throws, but this was thrown
// std::stoi throws for text that is not a number and for long numbers.
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
    const int index = std::stoi(entry);
    if (index < 0 || index >= gpus) break;
    visible.push_back(index);
  }
  return visible;
}
