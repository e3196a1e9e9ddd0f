// Bytes as people read and write them. Allocators print amounts of them, settings parse those.
#pragma once

#include <cstddef>
#include <string>

namespace td {

/// `bytes` with three digits and a binary unit: `20.0 MiB`, `1.00 GiB`, `512 bytes`.
std::string format_bytes(std::size_t bytes);

/// Reads `1048576`, `512MiB`, `1.5 GB` (KB, MB, GB, TB are powers of 1000; KiB ... powers of 1024).
/// @return false when the text is anything else, zero, or too large; `*bytes` is then unchanged.
bool parse_bytes(const std::string& text, std::size_t* bytes);

/// The bytes themselves, two hexadecimal digits each: "00ff".
std::string to_hex(const void* bytes, std::size_t size);

}  // namespace td
