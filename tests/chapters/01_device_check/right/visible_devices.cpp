#include "exercises.h"

#include <algorithm>
#include <numeric>
#include <string>

// answer: by_hand
// Walks over the characters, and counts up without conversions.
namespace by_hand {
std::vector<int> visible_devices(const std::optional<std::string>& variable, int gpus) {
  std::vector<int> visible;
  if (!variable) {
    visible.resize(static_cast<std::size_t>(gpus));
    std::iota(visible.begin(), visible.end(), 0);
    return visible;
  }
  long value = 0;
  bool any = false;
  for (const char c : *variable + ',') {
    if (c == ',') {
      if (!any || value >= gpus) return visible;
      visible.push_back(static_cast<int>(value));
      value = 0, any = false;
    } else if (c < '0' || c > '9') {
      return visible;
    } else {
      value = std::min(value * 10 + (c - '0'), 1'000'000L), any = true;
    }
  }
  return visible;
}
}  // namespace by_hand

// answer: with_find
// Cuts the list at commas with find, and takes the number from the digits after leading zeros.
namespace with_find {
std::vector<int> visible_devices(const std::optional<std::string>& variable, int gpus) {
  std::vector<int> visible;
  if (!variable) {
    while (static_cast<int>(visible.size()) < gpus)
      visible.push_back(static_cast<int>(visible.size()));
    return visible;
  }
  for (std::size_t begin = 0; begin <= variable->size();) {
    const std::size_t end = std::min(variable->find(',', begin), variable->size());
    std::string entry = variable->substr(begin, end - begin);
    if (entry.empty() || entry.find_first_not_of("0123456789") != std::string::npos) break;
    while (entry.size() > 1 && entry.front() == '0') entry.erase(0, 1);
    const std::string limit = std::to_string(gpus);
    if (entry.size() > limit.size() || (entry.size() == limit.size() && entry >= limit)) break;
    visible.push_back(std::stoi(entry));
    begin = end + 1;
  }
  return visible;
}
}  // namespace with_find
