#include "exercises.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <set>
#include <sstream>

// answer: empty_is_not_set
// expect: CUDA_VISIBLE_DEVICES="", 4 GPUs: expected {}, got {0, 1, 2, 3}
// Takes an empty value for a variable that is not set.
namespace empty_is_not_set {
std::vector<int> visible_devices(const std::optional<std::string>& variable, int gpus) {
  std::vector<int> visible;
  if (!variable || variable->empty()) {
    for (int i = 0; i < gpus; ++i) visible.push_back(i);
    return visible;
  }
  std::istringstream entries(*variable);
  for (std::string entry; std::getline(entries, entry, ',');) {
    if (entry.empty() || entry.size() > 3 ||
        entry.find_first_not_of("0123456789") != std::string::npos || std::stoi(entry) >= gpus)
      break;
    visible.push_back(std::stoi(entry));
  }
  return visible;
}
}  // namespace empty_is_not_set

// answer: invalid_hides_all
// expect: CUDA_VISIBLE_DEVICES="0,7,1", 2 GPUs: expected {0}, got {}
// One entry that is not valid hides all GPUs.
namespace invalid_hides_all {
std::vector<int> visible_devices(const std::optional<std::string>& variable, int gpus) {
  std::vector<int> visible;
  if (!variable) {
    for (int i = 0; i < gpus; ++i) visible.push_back(i);
    return visible;
  }
  std::istringstream entries(*variable);
  for (std::string entry; std::getline(entries, entry, ',');) {
    if (entry.empty() || entry.size() > 3 ||
        entry.find_first_not_of("0123456789") != std::string::npos || std::stoi(entry) >= gpus)
      return {};
    visible.push_back(std::stoi(entry));
  }
  return visible;
}
}  // namespace invalid_hides_all

// answer: no_leading_zeros
// expect: "01" has decimal digits only
// Rejects leading zeros, as device strings do.
namespace no_leading_zeros {
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
}  // namespace no_leading_zeros

// answer: one_digit
// expect: CUDA_VISIBLE_DEVICES="11,2", 16 GPUs: expected {11, 2}, got {}
// An index has one digit on small machines only.
namespace one_digit {
std::vector<int> visible_devices(const std::optional<std::string>& variable, int gpus) {
  std::vector<int> visible;
  if (!variable) {
    for (int i = 0; i < gpus; ++i) visible.push_back(i);
    return visible;
  }
  std::istringstream entries(*variable);
  for (std::string entry; std::getline(entries, entry, ',');) {
    if (entry.size() != 1 || entry[0] < '0' || entry[0] > '9' || entry[0] - '0' >= gpus) break;
    visible.push_back(entry[0] - '0');
  }
  return visible;
}
}  // namespace one_digit

// answer: one_too_many
// expect: CUDA_VISIBLE_DEVICES="1,2", 2 GPUs: expected {1}, got {1, 2}
// Takes the number of GPUs for a valid index.
namespace one_too_many {
std::vector<int> visible_devices(const std::optional<std::string>& variable, int gpus) {
  std::vector<int> visible;
  if (!variable) {
    for (int i = 0; i < gpus; ++i) visible.push_back(i);
    return visible;
  }
  std::istringstream entries(*variable);
  for (std::string entry; std::getline(entries, entry, ',');) {
    if (entry.empty() || entry.size() > 3 ||
        entry.find_first_not_of("0123456789") != std::string::npos || std::stoi(entry) > gpus)
      break;
    visible.push_back(std::stoi(entry));
  }
  return visible;
}
}  // namespace one_too_many

// answer: reads_until_it_fails
// expect: CUDA_VISIBLE_DEVICES="1x", 4 GPUs: expected {}, got {1}
// Reads numbers with >>, which takes "1x", "+1" and " 1" for 1.
namespace reads_until_it_fails {
std::vector<int> visible_devices(const std::optional<std::string>& variable, int gpus) {
  std::vector<int> visible;
  if (!variable) {
    for (int i = 0; i < gpus; ++i) visible.push_back(i);
    return visible;
  }
  std::istringstream entries(*variable);
  for (int index = 0; entries >> index && index >= 0 && index < gpus;) {
    visible.push_back(index);
    if (entries.get() != ',') break;
  }
  return visible;
}
}  // namespace reads_until_it_fails

// answer: skips_and_goes_on
// expect: CUDA_VISIBLE_DEVICES="0,7,1", 2 GPUs: expected {0}, got {0, 1}
// Leaves out what is not valid, and continues with the next entry.
namespace skips_and_goes_on {
std::vector<int> visible_devices(const std::optional<std::string>& variable, int gpus) {
  std::vector<int> visible;
  if (!variable) {
    for (int i = 0; i < gpus; ++i) visible.push_back(i);
    return visible;
  }
  std::istringstream entries(*variable);
  for (std::string entry; std::getline(entries, entry, ',');) {
    if (entry.empty() || entry.size() > 3 ||
        entry.find_first_not_of("0123456789") != std::string::npos)
      continue;
    if (std::stoi(entry) < gpus) visible.push_back(std::stoi(entry));
  }
  return visible;
}
}  // namespace skips_and_goes_on

// answer: sorted
// expect: CUDA_VISIBLE_DEVICES="2,0", 4 GPUs: expected {2, 0}, got {0, 2}
// Collects a set: the order is lost, and with it which GPU is cuda:0.
namespace sorted {
std::vector<int> visible_devices(const std::optional<std::string>& variable, int gpus) {
  std::set<int> visible;
  for (int i = 0; !variable && i < gpus; ++i) visible.insert(i);
  std::istringstream entries(variable.value_or(""));
  for (std::string entry; std::getline(entries, entry, ',');) {
    if (entry.empty() || entry.size() > 3 ||
        entry.find_first_not_of("0123456789") != std::string::npos || std::stoi(entry) >= gpus)
      break;
    visible.insert(std::stoi(entry));
  }
  return {visible.begin(), visible.end()};
}
}  // namespace sorted

// answer: stoi_throws
// expect: the function never throws, but this was thrown
// std::stoi throws for text that is not a number and for long numbers.
namespace stoi_throws {
std::vector<int> visible_devices(const std::optional<std::string>& variable, int gpus) {
  std::vector<int> visible;
  if (!variable) {
    for (int i = 0; i < gpus; ++i) visible.push_back(i);
    return visible;
  }
  std::istringstream entries(*variable);
  for (std::string entry; std::getline(entries, entry, ',');) {
    const int index = std::stoi(entry);
    if (index < 0 || index >= gpus) break;
    visible.push_back(index);
  }
  return visible;
}
}  // namespace stoi_throws

// answer: wraps_around
// expect: 2^64 is not smaller than 4
// Adds up the digits in 64 bits, where 2^64 is 0 again.
namespace wraps_around {
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
}  // namespace wraps_around

// answer: minus_zero
// expect: CUDA_VISIBLE_DEVICES="-0", 4 GPUs: expected {}, got {0}
// Reads integers of any sign, and rejects those below 0.
namespace minus_zero {
std::vector<int> visible_devices(const std::optional<std::string>& variable, int gpus) {
  std::vector<int> visible;
  if (!variable)
    for (int i = 0; i < gpus; ++i) visible.push_back(i);
  std::istringstream entries(variable.value_or(""));
  for (std::string entry; std::getline(entries, entry, ',');) {
    int index = -1;
    const auto read = std::from_chars(entry.data(), entry.data() + entry.size(), index);
    if (read.ec != std::errc() || read.ptr != entry.data() + entry.size() || index < 0 ||
        index >= gpus)
      break;
    visible.push_back(index);
  }
  return visible;
}
}  // namespace minus_zero

// answer: nine_digits
// expect: leading zeros change nothing
// Counts the digits instead of reading the number.
namespace nine_digits {
std::vector<int> visible_devices(const std::optional<std::string>& variable, int gpus) {
  std::vector<int> visible;
  if (!variable)
    for (int i = 0; i < gpus; ++i) visible.push_back(i);
  std::istringstream entries(variable.value_or(""));
  for (std::string entry; std::getline(entries, entry, ',');) {
    if (entry.empty() || entry.size() > 9 ||
        entry.find_first_not_of("0123456789") != std::string::npos || std::stoi(entry) >= gpus)
      break;
    visible.push_back(std::stoi(entry));
  }
  return visible;
}
}  // namespace nine_digits
