// Warnings: what went on, but not as the program meant it. Written to stderr, each text once in the
// life of the process, so that one in a training loop stays one line.
#pragma once

#include <sstream>
#include <string>

namespace td {

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
