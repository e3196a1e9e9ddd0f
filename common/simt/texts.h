// The words of the machine's reports. Used where a finding is made.
#pragma once

#include <cstdint>
#include <string>

#include "simt/observer.h"

namespace td::simt {

/// "(3,0,0)"
std::string text_of(const uint3& index);
/// "sum.cu:12", without directories.
std::string text_of(const Site& site);
/// "line 12", or "tile.h:12" where the report is about a place in another file; "another place"
/// where the line is unknown.
std::string line_of(const Site& site, const Site& of_report);
/// Lanes of a mask as ranges: "lane 3", "lanes 0-15, 20".
std::string text_of_lanes(unsigned lanes);
/// "0x0000ffff"
std::string text_of_mask(unsigned mask);
/// "1 thread", "24 threads"
std::string count_of(std::size_t count, const char* what);

}  // namespace td::simt
