// The words of the machine's reports.
#include "simt/texts.h"

#include <cstdio>

namespace td::simt {

std::string text_of(const uint3& i) {
  return '(' + std::to_string(i.x) + ',' + std::to_string(i.y) + ',' + std::to_string(i.z) + ')';
}

std::string text_of(const Site& site) {
  return site.file.substr(site.file.find_last_of('/') + 1) + ':' + std::to_string(site.line);
}

std::string line_of(const Site& site, const Site& of_report) {
  if (site.line == 0) return "another place";
  return site.file == of_report.file ? "line " + std::to_string(site.line) : text_of(site);
}

std::string text_of_lanes(unsigned lanes) {
  std::string ranges;
  int count = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if (!(lanes >> lane & 1)) continue;
    const int first = lane;
    while (lane < 31 && lanes >> (lane + 1) & 1) ++lane;
    count += lane - first + 1;
    ranges += (ranges.empty() ? "" : ", ") + std::to_string(first);
    if (lane > first) ranges += '-' + std::to_string(lane);
  }
  return (count == 1 ? "lane " : "lanes ") + ranges;
}

std::string text_of_mask(unsigned mask) {
  char text[11];
  std::snprintf(text, sizeof text, "0x%08x", mask);
  return text;
}

std::string count_of(std::size_t count, const char* what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

}  // namespace td::simt
