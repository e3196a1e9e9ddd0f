// expect: has nothing to do with chapter 10
// One message for all mistakes.
#include <algorithm>

#include "exercises.h"

DeviceName parse_device(const std::string& text, const std::vector<std::string>& kinds) {
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const std::string digits = colon == std::string::npos ? "0" : text.substr(colon + 1);
  const bool number = !digits.empty() && digits.size() < 4 && (digits[0] != '0' || digits == "0") &&
                      digits.find_first_not_of("0123456789") == std::string::npos;
  std::string message = '"' + text + "\" is not one of";
  for (const auto& k : kinds) message += ' ' + k;
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end() || !number ||
      std::stoi(digits) > 127)
    throw td::DeviceError(message + "; for a TPU see chapter 10");
  return {kind, colon == std::string::npos ? -1 : std::stoi(digits)};
}
