#include "exercises.h"

#include <charconv>

#include <algorithm>
#include <cstring>

// answer: another_error
// expect: an error of another type was thrown
// Lets std::stoi complain: its message, "stoi", tells the reader nothing.
namespace another_error {
DeviceName parse_device(const std::string& text, const std::vector<std::string>& kinds) {
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
    throw td::DeviceError('"' + text + "\" is not one of cpu, sim, cuda, npu");
  if (colon == std::string::npos) return {kind, -1};
  return {kind, std::stoi(text.substr(colon + 1))};
}
}  // namespace another_error

// answer: by_prefix
// expect: "cuda " is not a device: an error was expected, none was thrown
// Compares only as many letters as the kind has.
namespace by_prefix {
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
}  // namespace by_prefix

// answer: chapter_10_for_all
// expect: has nothing to do with chapter 10
// One message for all mistakes.
namespace chapter_10_for_all {
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
}  // namespace chapter_10_for_all

// answer: knows_three_kinds
// expect: "npu:3" is a device, but it was rejected
// Leaves the work to td::Device and never reads the list of kinds.
namespace knows_three_kinds {
DeviceName parse_device(const std::string& text, const std::vector<std::string>&) {
  const td::Device device(text);
  return {td::device_type_name(device.type()), device.index()};
}
}  // namespace knows_three_kinds

// answer: one_digit
// expect: "sim:15" is a device, but it was rejected
// Takes the one character after the colon for the index: right for cuda:0 to cuda:9.
namespace one_digit {
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
}  // namespace one_digit

// answer: one_zero_of_two
// expect: "cuda:001" is not a device: an error was expected, none was thrown
// Looks for a leading zero in indices of two digits only.
namespace one_zero_of_two {
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
}  // namespace one_zero_of_two

// answer: stoi_only
// expect: "cuda:-1" is not a device: an error was expected, none was thrown
// Right on the README's example. std::stoi takes "-1" and " 1", and stops quietly before the x of
// "1x".
namespace stoi_only {
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
}  // namespace stoi_only

// answer: minus_zero
// expect: "cuda:-0" is not a device: an error was expected, none was thrown
// Reads an integer of any sign with std::from_chars, and then checks its range.
namespace minus_zero {
DeviceName parse_device(const std::string& text, const std::vector<std::string>& kinds) {
  const auto colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  std::string list;
  bool known = false;
  for (const auto& k : kinds) list += ' ' + k, known = known || k == kind;
  const bool tpu = !known && (kind == "tpu" || kind == "xla");
  const td::DeviceError error('"' + text + "\" is not one of" + list + (tpu ? ", chapter 10" : ""));
  if (!known) throw error;
  if (colon == std::string::npos) return {kind, -1};
  const std::string digits = text.substr(colon + 1);
  int index = -1;
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, index);
  if (read.ec != std::errc() || read.ptr != end || index < 0 || index > 127 ||
      (digits[0] == '0' && digits.size() > 1))
    throw error;
  return {kind, index};
}
}  // namespace minus_zero

// answer: tpu_without_kinds
// expect: "tpu" is explained in chapter 10: the error should say "cpu"
// Sends the reader to chapter 10 with a message of its own, which does not list the kinds.
namespace tpu_without_kinds {
DeviceName parse_device(const std::string& text, const std::vector<std::string>& kinds) {
  const auto colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  std::string list;
  bool known = false;
  for (const auto& k : kinds) list += ' ' + k, known = known || k == kind;
  if (!known && (kind == "tpu" || kind == "xla"))
    throw td::DeviceError('"' + text + "\" comes in chapter 10");
  const std::string digits = colon == std::string::npos ? "0" : text.substr(colon + 1);
  const bool good = !digits.empty() && digits.size() < 4 &&
                    digits.find_first_not_of("0123456789") == std::string::npos &&
                    std::to_string(std::stoi(digits)) == digits && std::stoi(digits) < 128;
  if (!known || !good) throw td::DeviceError('"' + text + "\" is not one of" + list);
  return {kind, colon == std::string::npos ? -1 : std::stoi(digits)};
}
}  // namespace tpu_without_kinds

// answer: tpu_and_xla_are_one
// expect: "tpu:1" where the kinds are cpu and xla: the error should say "chapter 10"
// Takes a machine with one of the two kinds for a machine with both.
namespace tpu_and_xla_are_one {
DeviceName parse_device(const std::string& text, const std::vector<std::string>& kinds) {
  const auto colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  std::string list;
  bool known = false, any = false;
  for (const auto& k : kinds)
    list += ' ' + k, known = known || k == kind, any = any || k == "tpu" || k == "xla";
  if (!any && (kind == "tpu" || kind == "xla")) list += "; see chapter 10";
  const std::string digits = colon == std::string::npos ? "0" : text.substr(colon + 1);
  const bool good = !digits.empty() && digits.size() < 4 &&
                    digits.find_first_not_of("0123456789") == std::string::npos &&
                    std::to_string(std::stoi(digits)) == digits && std::stoi(digits) < 128;
  if (!known || !good) throw td::DeviceError('"' + text + "\" is not one of" + list);
  return {kind, colon == std::string::npos ? -1 : std::stoi(digits)};
}
}  // namespace tpu_and_xla_are_one

// answer: index_in_a_byte
// expect: "cuda:256" is not a device: an error was expected, none was thrown
// Stores the index in the byte that td::Device has for it, and checks the range afterwards.
namespace index_in_a_byte {
DeviceName parse_device(const std::string& text, const std::vector<std::string>& kinds) {
  const auto colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  std::string list;
  bool known = false;
  for (const auto& k : kinds) list += ' ' + k, known = known || k == kind;
  if (!known && (kind == "tpu" || kind == "xla")) list += "; see chapter 10";
  const std::string digits = colon == std::string::npos ? "0" : text.substr(colon + 1);
  const bool good = !digits.empty() && digits.size() < 5 &&
                    digits.find_first_not_of("0123456789") == std::string::npos &&
                    (digits == "0" || digits[0] != '0');
  const int index = good ? static_cast<signed char>(std::stoi(digits)) : -1;
  if (!known || index < 0) throw td::DeviceError('"' + text + "\" is not one of" + list);
  return {kind, colon == std::string::npos ? -1 : index};
}
}  // namespace index_in_a_byte
