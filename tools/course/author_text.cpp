// Edits texts line by line, so that the text around the new lines stays unchanged.
#include "author_text.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

namespace course {
namespace {

// Words that are taken as names. `given` is the folder of a chapter's kernels.
const std::set<std::string> kTaken = {
    "alignas",   "alignof",  "and",      "asm",          "auto",      "bitand",    "bitor",
    "bool",      "break",    "case",     "catch",        "char",      "class",     "co_await",
    "co_return", "co_yield", "compl",    "concept",      "const",     "consteval", "constexpr",
    "constinit", "continue", "decltype", "default",      "delete",    "do",        "double",
    "else",      "enum",     "explicit", "export",       "extern",    "false",     "float",
    "for",       "friend",   "given",    "goto",         "if",        "inline",    "int",
    "long",      "main",     "mutable",  "namespace",    "new",       "noexcept",  "not",
    "nullptr",   "operator", "or",       "private",      "protected", "public",    "register",
    "requires",  "return",   "short",    "signed",       "sizeof",    "static",    "struct",
    "switch",    "template", "this",     "thread_local", "throw",     "true",      "try",
    "typedef",   "typeid",   "typename", "union",        "unsigned",  "using",     "virtual",
    "void",      "volatile", "while",    "xor"};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

/// The titles between the bars of a table's first row.
std::vector<std::string> cells(const std::string& row) {
  std::vector<std::string> found;
  std::istringstream in(row.substr(1));
  for (std::string cell; std::getline(in, cell, '|');) found.push_back(cell);
  return found;
}

}  // namespace

std::string fault_of_name(const std::string& name) {
  const bool letters = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (name.empty() || !letters || name[0] < 'a')
    return "\"" + name +
           "\" cannot be an exercise's name: it becomes a C++ function, so expected are lower-case "
           "letters, digits and underscores, beginning with a letter";
  if (kTaken.count(name)) return "\"" + name + "\" is a name that C++ or the build has taken";
  return "";
}

bool declares(const std::string& header, const std::string& name) {
  const auto continues = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  const std::string call = name + "(";
  for (auto at = header.find(call); at != std::string::npos; at = header.find(call, at + 1))
    if (at == 0 || !continues(header[at - 1])) return true;
  return false;
}

std::string filled(std::string text,
                   const std::vector<std::pair<std::string, std::string>>& values) {
  for (const auto& [from, to] : values)
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  return text;
}

std::string with_entry(const std::string& toml, const Chapter& chapter, const std::string& entry) {
  const auto begin = toml.find("\"" + chapter.folder + "\"");
  if (begin == std::string::npos)
    throw std::runtime_error("chapters/course.toml has no line  folder = \"" + chapter.folder +
                             "\"");
  const auto next = toml.find("\n[[chapter]]", begin);
  // One empty line before the entry and one after it, as between all others.
  std::string before = toml.substr(0, next), after;
  if (next != std::string::npos) after = toml.substr(next);
  before.erase(before.find_last_not_of(" \n") + 1);
  return before + "\n\n" + entry + after;
}

std::string with_row(const std::string& readme, const Exercise& e) {
  auto lines = lines_of(readme);
  std::size_t at = 0;
  while (at < lines.size() && lines[at] != "## Exercises") ++at;
  while (at < lines.size() && lines[at].rfind("| exercise", 0) != 0) ++at;
  if (at == lines.size()) return "";
  const auto titles = cells(lines[at]);
  while (at < lines.size() && lines[at].rfind("|", 0) == 0) ++at;
  std::string row = "| `" + e.name + "` |";
  for (std::size_t i = 1; i < titles.size(); ++i) {
    const bool minutes = titles[i].find("minutes") != std::string::npos;
    row += " " + (minutes ? std::to_string(e.minutes) : i == 1 ? e.title : "TODO") + " |";
  }
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), row);
  return joined(lines);
}

}  // namespace course
