// The command line of `./course time`. Called by main.cpp.
#pragma once

#include "settings.h"

namespace report {

/// Reads the words into `settings`. @return false when help was requested and printed.
/// @throws app::OptionError
bool read_options(int argc, char** argv, Settings& settings);

}  // namespace report
