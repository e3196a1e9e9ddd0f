// The cut, line by line: a small state machine over four marks.
#include "cutter.h"

#include <sstream>
#include <stdexcept>

namespace course {
namespace {

std::string trimmed(const std::string& line) {
  const auto first = line.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  const auto last = line.find_last_not_of(" \t\r");
  return line.substr(first, last - first + 1);
}

const std::string kBlank = "// blank:", kGiven = "//= ";

bool starts_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

[[noreturn]] void refuse(const std::string& exercise, int line, const std::string& why) {
  throw std::runtime_error(exercise + ", line " + std::to_string(line) + ": " + why);
}

/// The line without its `//!` remark; false when the line had only the remark.
bool strip_remark(std::string& line) {
  const auto remark = line.find("//!");
  if (remark == std::string::npos) return true;
  const std::string before = line.substr(0, remark);
  const auto last = before.find_last_not_of(" \t");
  if (last == std::string::npos) return false;
  line = before.substr(0, last + 1);
  return true;
}

}  // namespace

std::string cut(const std::string& solution, const std::string& exercise) {
  std::istringstream in(solution);
  std::ostringstream out;
  std::string line;
  int number = 0, opened = 0, blanks = 0;
  bool after_empty = false;
  while (std::getline(in, line)) {
    ++number;
    const std::string text = trimmed(line);
    const bool blank = starts_with(text, kBlank), only = text == "// solution only";
    if (blank || only) {
      if (opened)
        refuse(exercise, number, "a mark inside the one of line " + std::to_string(opened));
      opened = number;
    }
    if (blank) {
      const std::string hint = trimmed(text.substr(kBlank.size()));
      if (hint.empty()) refuse(exercise, number, "give a hint: // blank: Split along dimension 0.");
      const std::string indent = line.substr(0, line.find_first_not_of(" \t"));
      out << indent << "// Your code here: " << hint << '\n'
          << indent << "td::not_done_yet(\"" << exercise << "\");\n";
      ++blanks;
      after_empty = false;
    } else if (opened && starts_with(text, kGiven)) {
      out << line.substr(0, line.find(kGiven)) << text.substr(kGiven.size()) << '\n';
      after_empty = false;
    } else if (text == "// end") {
      if (!opened) refuse(exercise, number, "\"// end\" without a mark before it");
      opened = 0;
    } else if (!opened && strip_remark(line)) {
      // An omitted part does not leave a second empty line.
      if (!(text.empty() && after_empty)) out << line << '\n';
      after_empty = text.empty();
    }
  }
  if (opened) refuse(exercise, opened, "this mark has no \"// end\"");
  if (blanks == 0)
    refuse(exercise, number, "no \"// blank: <hint>\" mark, so there is no exercise");
  return out.str();
}

std::string without_marks(const std::string& solution, const std::string& mine) {
  std::istringstream in(solution);
  std::ostringstream out;
  for (std::string line; std::getline(in, line);) {
    const std::string text = trimmed(line);
    if (starts_with(text, kBlank)) {
      const std::string asked = line.substr(0, line.find(kBlank)) +
                                "// Your code here: " + trimmed(text.substr(kBlank.size()));
      if (mine.find(asked + "\n") != std::string::npos) out << asked << '\n';
    } else if (text == "// solution only" || text == "// end" || starts_with(text, kGiven)) {
      continue;
    } else {
      if (const auto remark = line.find("//!"); remark != std::string::npos)
        line.erase(remark + 2, 1);
      out << line << '\n';
    }
  }
  return out.str();
}

}  // namespace course
