// expect: "cuda:001" is not a device: an error was expected, none was thrown
// Looks for a leading zero in indices of two digits only.
#include <algorithm>

#include "exercises.h"

namespace {

[[noreturn]] void reject(const std::string& text, const std::string& kind,
                         const std::vector<std::string>& kinds) {
  std::string message = '"' + text + "\" is not a device; the kinds are";
  for (const auto& known : kinds) message += ' ' + known;
  message += ", with an index after a colon where there are several, as in cuda:0.";
  if (kind == "tpu" || kind == "xla") message += " For a TPU, see chapter 10.";
  throw td::DeviceError(message);
}

bool is_index(const std::string& digits) {
  // std::stoi would accept "1x", " 1", "-1" and "+1", and throw for a number that is too large.
  if (digits.empty() || digits.size() > 3 || (digits[0] == '0' && digits.size() == 2)) return false;
  return std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
         std::stoi(digits) <= 127;
}

}  // namespace

DeviceName parse_device(const std::string& text, const std::vector<std::string>& kinds) {
  const std::size_t colon = text.find(':');
  DeviceName name{text.substr(0, colon), -1};
  if (std::find(kinds.begin(), kinds.end(), name.kind) == kinds.end())
    reject(text, name.kind, kinds);
  if (colon == std::string::npos) return name;
  const std::string digits = text.substr(colon + 1);
  if (!is_index(digits)) reject(text, "", kinds);
  name.index = std::stoi(digits);
  return name;
}
