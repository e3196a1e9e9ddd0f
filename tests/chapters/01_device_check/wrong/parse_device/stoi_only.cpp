// expect: "cuda:-1" is not a device: an error was expected, none was thrown
// Right on the README's example. std::stoi takes "-1" and " 1", and stops quietly before the x of
// "1x".
#include <algorithm>

#include "exercises.h"

DeviceName parse_device(const std::string& text, const std::vector<std::string>& kinds) {
  const std::size_t colon = text.find(':');
  DeviceName name{text.substr(0, colon), -1};
  std::string message = '"' + text + "\" is not a device; use";
  for (const auto& kind : kinds) message += ' ' + kind;
  if (name.kind == "tpu" || name.kind == "xla") message += " (see chapter 10)";
  if (std::find(kinds.begin(), kinds.end(), name.kind) == kinds.end())
    throw td::DeviceError(message);
  if (colon == std::string::npos) return name;
  try {
    name.index = std::stoi(text.substr(colon + 1));
  } catch (const std::exception&) {
    throw td::DeviceError(message);
  }
  return name;
}
