// Finds the lines that the tests' kernels mark, so that a test names no line by its number.
#pragma once

#include <fstream>
#include <stdexcept>
#include <string>

/// The number of the line of kernels.cu that ends in `// mark: <name>`.
inline int line_of_mark(const std::string& name) {
  std::ifstream file(KERNELS_FILE);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number)
    if (line.ends_with("// mark: " + name)) return number;
  throw std::runtime_error("kernels.cu has no mark " + name);
}

/// The same as reports write it: "kernels.cu:12".
inline std::string place_of_mark(const std::string& name) {
  return "kernels.cu:" + std::to_string(line_of_mark(name));
}
