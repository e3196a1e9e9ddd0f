// What messages are made of: bytes as people read and write them, and warnings. A warning is
// written to stderr, each text once in the life of the process, so that one in a training loop
// stays one line.
#pragma once

#include <cstddef>
#include <sstream>
#include <string>

namespace td {

/// `bytes` with three digits and a binary unit: `20.0 MiB`, `1.00 GiB`, `512 bytes`.
std::string format_bytes(std::size_t bytes);

/// Reads `1048576`, `512MiB`, `1.5 GB` (KB, MB, GB, TB are powers of 1000; KiB ... powers of 1024).
/// @return false when the text is anything else, zero, or too large; `*bytes` is then unchanged.
bool parse_bytes(const std::string& text, std::size_t* bytes);

/// The bytes themselves, two hexadecimal digits each: "00ff".
std::string to_hex(const void* bytes, std::size_t size);

/// Writes "Warning: text" unless this text was written before. Safe from any thread.
void write_warning_once(const std::string& text);

/// The same for `parts` joined as a stream would print them.
template <class... Parts>
[[gnu::cold]] void warn_once(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  write_warning_once(text.str());
}

}  // namespace td
