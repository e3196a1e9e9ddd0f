// Queries the system about the terminal, and the environment about the user's settings.
#include "app/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>

namespace app {
namespace {

constexpr std::size_t kNarrowest = 20;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool names_utf8(std::string locale) {
  std::transform(locale.begin(), locale.end(), locale.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
}

/// The first of the three that is set decides, as in setlocale(3).
bool utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const std::string value = variable(name); !value.empty()) return names_utf8(value);
  return false;
}

}  // namespace

Terminal terminal_of(int descriptor) {
  Terminal terminal;
  terminal.interactive = isatty(descriptor) == 1;
  winsize size{};
  if (terminal.interactive && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    terminal.width = size.ws_col;
  else if (const int asked = std::atoi(variable("COLUMNS").c_str()); asked > 0)
    terminal.width = static_cast<std::size_t>(asked);
  terminal.width = std::max(terminal.width, kNarrowest);
  terminal.color =
      terminal.interactive && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  terminal.utf8 = utf8_locale();
  return terminal;
}

std::size_t columns(const std::string& text) {
  // All bytes but the continuation bytes 10xxxxxx of UTF-8.
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string colored(const std::string& text, Color color, const Terminal& terminal) {
  if (!terminal.color || text.empty()) return text;
  return "\033[" + std::to_string(static_cast<int>(color)) + "m" + text + "\033[0m";
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::size_t used = columns(text);
  const std::string space(used < width ? width - used : 0, ' ');
  return right ? space + text : text + space;
}

std::string wrap(const std::string& text, std::size_t width, std::size_t indent, std::size_t used) {
  std::istringstream words(text);
  std::string lines, word;
  bool first = true;  // in its line
  while (words >> word) {
    const std::size_t needed = columns(word) + (first ? 0 : 1);
    if (!first && used + needed > width) {
      lines += "\n" + std::string(indent, ' ');
      used = indent + columns(word);
    } else {
      lines += first ? "" : " ";
      used += needed;
    }
    lines += word;
    first = false;
  }
  return lines;
}

}  // namespace app
