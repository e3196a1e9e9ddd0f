// Warnings, and bytes as people read them; see error.h.
#include "td/base/error.h"

#include <array>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <set>

namespace td {

std::string format_bytes(std::size_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  constexpr std::array<const char*, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // 999.5 would round to four digits.
  for (; amount >= 999.5 && unit + 1 < kUnits.size(); ++unit) amount /= 1024;
  char text[32];
  const int decimals = amount < 0.9995 ? 3 : amount < 9.995 ? 2 : amount < 99.95 ? 1 : 0;
  std::snprintf(text, sizeof text, "%.*f %s", decimals, amount, kUnits[unit]);
  return text;
}

std::string to_hex(const void* bytes, std::size_t size) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    const unsigned char byte = static_cast<const unsigned char*>(bytes)[i];
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

void write_warning_once(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> written;
  const std::lock_guard lock(mutex);
  if (written.insert(text).second) std::cerr << "Warning: " << text << '\n';
}

}  // namespace td
