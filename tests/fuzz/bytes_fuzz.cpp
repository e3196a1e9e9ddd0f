// Amounts of memory: what is read has the documented form, and what format_bytes writes is read
// back.
#include <cmath>

#include "fuzz.h"
#include "sim/settings.h"
#include "td/base/error.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::Input(data, size).rest();
  std::size_t bytes = 0;
  if (!td::sim::parse_bytes(text, &bytes)) {
    fuzz::expect(bytes == 0, "a refused text changes nothing");
    return 0;
  }
  fuzz::expect(text.find_first_not_of("0123456789.eE+- KMGTiB") == text.npos,
               "only digits, blanks and units are an amount");
  fuzz::expect(bytes >= 1 && bytes <= std::size_t{1} << 50, "amounts are believable");
  // Below a KiB the text is in words, above 999 TiB in units that are not read.
  if (bytes < 1024 || bytes > std::size_t{999} << 40) return 0;
  std::size_t again = 0;
  fuzz::expect(td::sim::parse_bytes(td::format_bytes(bytes), &again),
               "what is written can be read");
  const double error = std::abs(static_cast<double>(again) - static_cast<double>(bytes));
  fuzz::expect(error <= 0.005001 * static_cast<double>(bytes) + 1, "three digits are right");
  return 0;
}
