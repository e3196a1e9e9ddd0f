// The command line of `./course time`. Called by main.cpp.
#pragma once

#include <string>
#include <vector>

#include "settings.h"

namespace report {

/// Wrong usage; the message names the option, what was expected and what to type. Exit code 2.
struct WrongUsage : std::exception {
  explicit WrongUsage(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// Reads the words into `settings`. @return false when help was asked for and printed.
/// @throws WrongUsage
bool read_options(int argc, char** argv, Settings& settings);

}  // namespace report
