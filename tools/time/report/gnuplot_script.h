// The scripts for gnuplot, one per picture. Called by pictures.cpp. Invariant: bars are horizontal,
// because names of cases are long and a phone is narrow.
#pragma once

#include <string>

#include "model.h"

namespace report {

/// Each is empty where the report has no data for the picture. The picture is written to `file`.
std::string speed_up_script(const Report& report, const std::string& file);
std::string parts_script(const Report& report, const std::string& file);
std::string rate_script(const Report& report, const std::string& file);

}  // namespace report
