// Finds the lines that the tests' kernels mark, so that a test names no line by its number.
#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

/// A line of a file with kernels.
struct MarkedLine {
  std::string file;
  int number;
};

/// The line of this folder's .cu files that ends in `// mark: <name>`.
inline MarkedLine line_of_mark(const std::string& name) {
  for (const auto& entry : std::filesystem::directory_iterator(KERNELS_FOLDER)) {
    std::ifstream file(entry.path());
    std::string line;
    for (int number = 1; std::getline(file, line); ++number)
      if (line.ends_with("// mark: " + name)) return {entry.path().filename(), number};
  }
  throw std::runtime_error("no kernel has the mark " + name);
}

/// The same as reports write it: "kernels.cu:12".
inline std::string place_of_mark(const std::string& name) {
  const MarkedLine line = line_of_mark(name);
  return line.file + ':' + std::to_string(line.number);
}

/// As reports write it in the middle: "line 12".
inline std::string line_text(const std::string& name) {
  return "line " + std::to_string(line_of_mark(name).number);
}
