// expect: an error of another type was thrown
// Lets std::stoi complain: its message, "stoi", tells the reader nothing.
#include <algorithm>

#include "exercises.h"

DeviceName parse_device(const std::string& text, const std::vector<std::string>& kinds) {
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
    throw td::DeviceError('"' + text + "\" is not one of cpu, sim, cuda, npu");
  if (colon == std::string::npos) return {kind, -1};
  return {kind, std::stoi(text.substr(colon + 1))};
}
