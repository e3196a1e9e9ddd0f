// `./course time` from its settings to its files. Called by main.cpp. Invariant: a report is
// written whenever at least one sample was taken, also after Ctrl-C and after failures.
#pragma once

#include "settings.h"

namespace report {

/// Lists, merges or measures, and reports. @return the exit code: 0, 1 when nothing could be
/// measured, 130 after Ctrl-C. @throws std::invalid_argument for wrong usage (exit code 2),
/// std::exception for other errors (exit code 1).
int drive(const Settings& settings);

}  // namespace report
