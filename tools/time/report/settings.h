// The settings from the command line. Filled by options.cpp, read by the driver. Invariant: every
// value has passed the checks of options.cpp.
#pragma once

#include <string>
#include <vector>

#include "plan.h"

namespace report {

/// The options of `./course time`.
struct Settings {
  Choice choice;
  int rounds = 0;
  double seconds = 0;  ///< Of one sample.
  bool quick = false;  ///< Three rounds of 0.05 s.
  bool list = false;
  std::string against;             ///< "pytorch" or empty.
  std::string python;              ///< Empty: the first Python that has PyTorch.
  std::string compare;             ///< An older report.
  std::vector<std::string> merge;  ///< Reports to show instead of measuring.
  std::string out = "build/time";
  std::string json;        ///< A further copy of the JSON file.
  double limit = 120;      ///< Seconds that one answer of a worker may take.
  std::string worker;      ///< A program to use instead of our own worker; for tests.
  std::string command;     ///< What was typed, for the report.
  std::string executable;  ///< This program, which is also the worker.
};

}  // namespace report
