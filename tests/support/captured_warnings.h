// For tests of warnings: stores the text that is written to stderr. Tests of autocast and graphs
// include it. Invariant: stderr is as before when the scope ends.
#pragma once

#include <iostream>
#include <sstream>
#include <string>

namespace test {

/// The text written to stderr meanwhile. A warning is written once per process, so each test needs
/// its own text.
class CapturedWarnings {
 public:
  CapturedWarnings() : before_(std::cerr.rdbuf(text_.rdbuf())) {}
  ~CapturedWarnings() { std::cerr.rdbuf(before_); }
  CapturedWarnings(const CapturedWarnings&) = delete;
  CapturedWarnings& operator=(const CapturedWarnings&) = delete;
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::streambuf* before_;
};

}  // namespace test
