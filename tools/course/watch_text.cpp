// A character of UTF-8 is its first byte and those of the form 10xxxxxx that follow.
#include "watch_text.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "app/terminal.h"

namespace course {
namespace {

bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

/// The byte at which character `count` starts, or the end.
std::size_t byte_of(const std::string& text, std::size_t count) {
  std::size_t at = 0;
  for (; at < text.size(); ++at)
    if (starts_character(text[at]) && count-- == 0) break;
  return at;
}

/// The ASCII replacement of another character.
std::string in_ascii(const std::string& character) {
  static const std::vector<std::pair<std::string, std::string>> kAscii = {
      {"·", "-"}, {"…", "..."}, {"→", "->"}, {"×", "x"}, {"‘", "'"},
      {"’", "'"}, {"“", "\""},  {"”", "\""}, {"–", "-"}, {"µ", "u"}};
  const auto known = std::find_if(kAscii.begin(), kAscii.end(),
                                  [&](const auto& pair) { return pair.first == character; });
  return known == kAscii.end() ? "?" : known->second;
}

}  // namespace

std::string clipped(const std::string& text, std::size_t columns, bool utf8) {
  if (app::columns(text) <= columns) return text;
  const std::string mark = utf8 ? "…" : "...";
  if (columns < app::columns(mark) + 1) return text.substr(0, byte_of(text, columns));
  return text.substr(0, byte_of(text, columns - app::columns(mark))) + mark;
}

std::string clipped_path(const std::string& path, std::size_t columns, bool utf8) {
  const std::string mark = utf8 ? "…" : "...";
  if (app::columns(path) <= columns || columns < 8) return clipped(path, columns, utf8);
  return mark + path.substr(byte_of(path, app::columns(path) + app::columns(mark) - columns));
}

std::string printable(const std::string& text, bool utf8) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::string character = text.substr(at, byte_of(text.substr(at, 5), 1));
    at += character.size();
    const bool ascii = character.size() == 1 && static_cast<unsigned char>(character[0]) < 0x7F;
    if (character == "\t")
      out += "    ";
    else if (character == "\n" || (ascii && character[0] >= ' '))
      out += character;
    else if (character.size() > 1)
      out += utf8 ? character : in_ascii(character);
  }
  return out;
}

std::vector<std::string> fold(const std::string& text, std::size_t columns) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    line.erase(line.find_last_not_of(' ') + 1);
    const std::size_t spaces = std::min(line.find_first_not_of(' '), line.size());
    const std::string indent(std::min(spaces, columns / 2), ' ');
    while (app::columns(line) > columns) {
      const std::size_t edge = byte_of(line, columns);
      std::size_t cut = line.rfind(' ', edge);
      // A word that is longer than the line is broken, also if only the indent comes before it.
      if (cut == std::string::npos || line.find_first_not_of(' ') >= cut) cut = edge;
      lines.push_back(line.substr(0, cut));
      line = indent + line.substr(std::min(line.find_first_not_of(' ', cut), line.size()));
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace course
