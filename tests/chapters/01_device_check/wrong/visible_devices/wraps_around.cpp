// expect: 2^64 is not smaller than 4
// Adds up the digits in 64 bits, where 2^64 is 0 again.
#include <algorithm>
#include <cstdint>
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
    std::uint64_t index = 0;
    for (const char c : entry) index = index * 10 + static_cast<std::uint64_t>(c - '0');
    if (!digits || index >= static_cast<std::uint64_t>(gpus)) break;
    visible.push_back(static_cast<int>(index));
  }
  return visible;
}
