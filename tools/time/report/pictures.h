// Pictures of a report, drawn by gnuplot: speed-up, where the time of a step goes, steps per
// second. Called by the driver. Invariant: a picture is readable on a light and on a dark page, and
// contains no identifier, so that several fit into one page.
#pragma once

#include <string>
#include <vector>

#include "model.h"

namespace report {

/// A picture and what it shows.
struct Picture {
  std::string name;  ///< Of the file, without its directory: "speed-up.svg".
  std::string title;
  std::string shows;  ///< For readers who cannot see it.
  std::string svg;
};

/// The pictures for which this report has data; none if there is no gnuplot. They are also written
/// into `folder`. @throws td::Error when gnuplot fails, with its message.
std::vector<Picture> draw_pictures(const Report& report, const std::string& folder);

/// Whether there is a gnuplot to call.
bool has_gnuplot();

/// gnuplot's output, with colors that follow the reader's mode, a title and a description, and
/// without its symbols and identifiers.
std::string adapted(const std::string& svg, const Picture& picture);

}  // namespace report
