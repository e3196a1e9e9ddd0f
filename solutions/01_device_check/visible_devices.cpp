// visible_devices: exercise 1.visible_devices, declared in exercises.h.
#include <algorithm>
#include <sstream>

#include "exercises.h"
#include "td/exercise.h"

std::vector<int> visible_devices(const std::optional<std::string>& variable, int gpus) {
  // blank: Take entries up to the first that is not valid. About 12 lines.
  std::vector<int> visible;
  if (!variable)
    for (int i = 0; i < gpus; ++i) visible.push_back(i);
  std::istringstream entries(variable.value_or(""));
  for (std::string entry; std::getline(entries, entry, ',');) {
    const bool digits = !entry.empty() && std::all_of(entry.begin(), entry.end(),
                                                      [](char c) { return c >= '0' && c <= '9'; });
    if (!digits) break;
    int index = 0;  // it stops at gpus, so that no number is too large for it
    for (const char c : entry) index = std::min(index * 10 + (c - '0'), gpus);
    if (index == gpus) break;
    visible.push_back(index);
  }
  return visible;
  // end
}
