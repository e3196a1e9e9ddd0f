// Numbers and labels as text for the reader. Used by every file of this folder that prints.
// Invariant: the same number reads the same in the table and on the page.
#pragma once

#include <cstddef>
#include <string>

namespace report {

/// "12.3 ms": three significant digits with the unit that fits: ns, us, ms or s.
std::string time_text(double seconds);
/// "73 %"
std::string percent_text(double share);
/// "+5 %" or "-5 %", and "0 %" for what rounds to nothing.
std::string change_text(double difference);
/// "7 rounds of 0.3 s"
std::string rounds_text(int rounds, double seconds);
/// Three significant digits without an exponent: "0.73", "12.3", "1450".
std::string number_text(double value);
/// Units per second with a prefix: "2.44 k samples", "12.3 GB", "45.6 GFLOP".
std::string rate_text(double per_second, const std::string& unit);

/// `words` with `tie` between each number and its unit, so that no line ends there.
std::string tied(const std::string& words, const std::string& tie);

}  // namespace report
