// The advisor's picture: seconds per step over the batch size, both axes logarithmic, one line per
// contender, and a mark where the choice changes. The programs advise and imagine write it.
#pragma once

#include <fstream>

#include "choice.h"
#include "trace/svg.h"

namespace advising {

/// Where a size and a time lie in the picture.
struct Plane {
  double smallest, largest, shortest, longest, top;

  explicit Plane(const Timings& timings)
      : smallest(static_cast<double>(timings.sizes.front())),
        largest(static_cast<double>(timings.sizes.back())),
        shortest(timings.seconds[0][0]),
        longest(shortest),
        top(static_cast<double>(30 + 20 * ((timings.names.size() + 1) / 2))) {
    for (const auto& row : timings.seconds)
      for (const double seconds : row) {
        shortest = std::min(shortest, seconds);
        longest = std::max(longest, seconds);
      }
    shortest = std::pow(10, std::floor(std::log10(shortest)));
    longest = std::pow(10, std::ceil(std::log10(longest)));
  }
  double x(double size) const {
    return 66 + 388 * std::log(size / smallest) / std::log(largest / smallest);
  }
  double bottom() const { return y(shortest); }
  double y(double seconds) const {
    return top + 330 * std::log(longest / seconds) / std::log(longest / shortest);
  }
};

/// "0.1", "1", "1000000": microseconds without trailing zeros.
inline std::string power_of_ten(double seconds) {
  std::ostringstream text;
  text << std::setprecision(9) << 1e6 * seconds;
  return text.str();
}

/// A horizontal line for each power of ten, and the sizes below.
inline void draw_axes(std::ostream& out, const Timings& timings, const Plane& plane) {
  for (double seconds = plane.shortest; seconds < 1.5 * plane.longest; seconds *= 10)
    out << "<path class=\"grid\" d=\"M66 " << plane.y(seconds) << "H454\"/>\n<text x=\"60\" y=\""
        << plane.y(seconds) + 4 << "\" text-anchor=\"end\">" << power_of_ten(seconds)
        << "</text>\n";
  for (const std::int64_t size : timings.sizes)
    if (!held_out(size))
      out << "<text x=\"" << plane.x(static_cast<double>(size)) << "\" y=\"" << plane.bottom() + 18
          << "\" text-anchor=\"middle\">" << size << "</text>\n";
  out << "<path class=\"axis\" d=\"M66 " << plane.top << 'V' << plane.bottom() << "H454\"/>\n"
      << "<text x=\"8\" y=\"" << plane.top - 10 << "\">us per step</text>\n"
      << "<text x=\"260\" y=\"" << plane.bottom() + 38
      << "\" text-anchor=\"middle\">samples per batch</text>\n";
}

/// Marks where the choice changes, and to which contender. Texts stay within the axes.
inline void draw_crossing(std::ostream& out, const Plane& plane, const Advice& choice, double y,
                          const std::string& name) {
  const double x = plane.x(static_cast<double>(choice.from));
  const bool right = x < 250;
  out << "<path class=\"axis\" d=\"M" << x << ' ' << plane.top << 'V' << plane.bottom()
      << "\" stroke-dasharray=\"2 3\"/>\n<text x=\"" << (right ? x + 5 : x - 5) << "\" y=\"" << y
      << "\" text-anchor=\"" << (right ? "start" : "end") << "\">" << name << " from "
      << choice.from << "</text>\n";
}

/// A line through all times; held-out sizes are rings. Lines that are calculated are dashed.
inline void draw_line(std::ostream& out, const Timings& timings, std::size_t name,
                      const Plane& plane, const char* color, bool measured) {
  out << "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" << color << '"'
      << (measured ? "" : " stroke-dasharray=\"6 4\"") << " points=\"";
  for (std::size_t s = 0; s < timings.sizes.size(); ++s)
    out << plane.x(static_cast<double>(timings.sizes[s])) << ','
        << plane.y(timings.seconds[name][s]) << ' ';
  out << "\"/>\n";
  for (std::size_t s = 0; measured && s < timings.sizes.size(); ++s)
    out << "<circle r=\"4\" stroke=\"" << color << "\" fill=\""
        << (held_out(timings.sizes[s]) ? "none" : color) << "\" cx=\""
        << plane.x(static_cast<double>(timings.sizes[s])) << "\" cy=\""
        << plane.y(timings.seconds[name][s]) << "\"><title>" << timings.names[name] << ", batch "
        << timings.sizes[s] << ": " << microseconds(timings.seconds[name][s])
        << " us</title></circle>\n";
  out << "<text x=\"" << (name % 2 ? 240 : 8) << "\" y=\"" << 18 + 20 * (name / 2) << "\" fill=\""
      << color << "\">" << timings.names[name] << (measured ? "" : ", calculated") << "</text>\n";
}

/// @throws td::IoError when the file cannot be written.
/// Choices of several kinds may be marked, as without and with an imagined contender.
inline void write_picture(const std::string& path, const Timings& timings, std::size_t measured,
                          const std::vector<std::vector<Advice>>& all_choices) {
  constexpr const char* kColors[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd",
                                     "#ff7f0e", "#8c564b", "#e377c2", "#17becf"};
  const Plane plane(timings);
  std::ofstream out(path);
  out << std::fixed << std::setprecision(1)
      << td::trace::open_svg(static_cast<int>(plane.bottom()) + 48);
  draw_axes(out, timings, plane);
  for (std::size_t n = 0; n < timings.names.size(); ++n)
    draw_line(out, timings, n, plane, kColors[n % std::size(kColors)], n < measured);
  double height = plane.top;
  for (const std::vector<Advice>& choices : all_choices)
    for (std::size_t i = 1; i < choices.size(); ++i)
      draw_crossing(out, plane, choices[i], height += 16, timings.names[choices[i].device]);
  out << "</svg>\n";
  if (!out.flush()) throw td::IoError("--picture " + path + ": the picture cannot be written");
}

}  // namespace advising
