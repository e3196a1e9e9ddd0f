// expect: "cuda " is not a device: an error was expected, none was thrown
// Compares only as many letters as the kind has.
#include <cstring>

#include "exercises.h"

DeviceName parse_device(const std::string& text, const std::vector<std::string>& kinds) {
  std::string message = '"' + text + "\" is not a device; use";
  for (const auto& kind : kinds) message += ' ' + kind;
  if (text.rfind("tpu", 0) == 0 || text.rfind("xla", 0) == 0) message += " (chapter 10)";
  for (const auto& kind : kinds) {
    if (text.compare(0, kind.size(), kind) != 0) continue;
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) return {kind, -1};
    const std::string digits = text.substr(colon + 1);
    if (digits.empty() || digits.size() > 3 || (digits[0] == '0' && digits != "0") ||
        digits.find_first_not_of("0123456789") != std::string::npos || std::stoi(digits) > 127)
      break;
    return {kind, std::stoi(digits)};
  }
  throw td::DeviceError(message);
}
