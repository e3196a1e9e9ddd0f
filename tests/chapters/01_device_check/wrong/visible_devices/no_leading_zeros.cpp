// expect: "01" has decimal digits only
// Rejects leading zeros, as device strings do.
#include <algorithm>
#include <sstream>

#include "exercises.h"

std::vector<int> visible_devices(const std::optional<std::string>& variable, int gpus) {
  std::vector<int> visible;
  if (!variable)
    for (int i = 0; i < gpus; ++i) visible.push_back(i);
  std::istringstream entries(variable.value_or(""));
  for (std::string entry; std::getline(entries, entry, ',');) {
    const bool digits = !entry.empty() && std::all_of(entry.begin(), entry.end(),
                                                      [](char c) { return c >= '0' && c <= '9'; });
    if (!digits || entry.size() > 9 || (entry[0] == '0' && entry.size() > 1) ||
        std::stoi(entry) >= gpus)
      break;
    visible.push_back(std::stoi(entry));
  }
  return visible;
}
