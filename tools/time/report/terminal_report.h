// The report on the terminal, at any width, with or without colors and UTF-8. Called by the driver.
// Invariant: it only shows; every number comes from statistics.h, baseline.h and compare.h.
#pragma once

#include <string>
#include <vector>

#include "app/terminal.h"
#include "compare.h"
#include "model.h"

namespace report {

/// The whole report as text. @param before an older report to compare with, or null.
std::string terminal_report(const Report& report, const Report* before,
                            const app::Terminal& terminal);

/// The cases that can be measured, for --list.
std::string terminal_list(const Machine& machine, const std::vector<Case>& cases, double seconds,
                          const app::Terminal& terminal);

/// "AMD EPYC, 2 cores, no GPU; oneDNN 3.5, OpenBLAS 0.3.21"
std::string machine_in_words(const Machine& machine);

}  // namespace report
