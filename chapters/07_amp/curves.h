// The results of trainings in several precisions: loss curves as text and as a figure, and a table.
// Included by programs/precisions.cpp. Invariant: everything shown was measured in this run.
#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "trace/svg.h"
#include "training.h"

namespace curves {

/// The mean of each of `count` pieces of a list. The loss of a skipped step counts, too.
inline std::vector<double> pieces(const std::vector<double>& values, std::size_t count) {
  std::vector<double> means;
  for (std::size_t i = 0; i < std::min(count, values.size()); ++i) {
    const std::size_t n = std::min(count, values.size());
    const std::size_t from = i * values.size() / n, to = (i + 1) * values.size() / n;
    double sum = 0;
    for (std::size_t k = from; k < to; ++k) sum += values[k];
    means.push_back(sum / static_cast<double>(to - from));
  }
  return means;
}

/// The top of the figure. Losses that are not finite are not drawn.
inline double largest_loss(const std::vector<Training>& all, std::size_t count) {
  double largest = 1e-9;  // not 0, because it is a divisor
  for (const Training& training : all)
    for (const double loss : pieces(training.losses, count))
      if (std::isfinite(loss)) largest = std::max(largest, loss);
  return largest;
}

/// The letter of a precision in the text: float32 f, tf32 t, bfloat16 b, float16 h.
inline char letter(const std::string& name) { return name == "float16" ? 'h' : name[0]; }

/// Loss curves in eight lines; '*' where several meet.
inline void print(std::ostream& out, const std::vector<Training>& all) {
  constexpr std::size_t kWidth = 64, kHeight = 8;
  const double largest = largest_loss(all, kWidth);
  std::vector<std::string> lines(kHeight, std::string(kWidth, ' '));
  for (const Training& training : all) {
    const std::vector<double> means = pieces(training.losses, kWidth);
    for (std::size_t i = 0; i < means.size(); ++i) {
      if (!std::isfinite(means[i])) continue;
      const double height = means[i] / largest * (kHeight - 1) + 0.5;
      char& place = lines[kHeight - 1 - static_cast<std::size_t>(height)][i];
      place = place == ' ' ? letter(training.name) : '*';
    }
  }
  for (std::size_t y = 0; y < kHeight; ++y)
    out << std::fixed << std::setprecision(2) << std::setw(6)
        << largest * static_cast<double>(kHeight - 1 - y) / (kHeight - 1) << " |" << lines[y]
        << '\n';
  out << "  loss +" << std::string(kWidth, '-') << "> step " << all[0].losses.size() << '\n';
}

inline void print_table(std::ostream& out, const std::vector<Training>& all) {
  out << "            accuracy   ms a step   saved for backward  peak          skipped   scale\n";
  for (const Training& t : all)
    out << std::left << std::setw(10) << t.name << std::right << std::fixed << std::setprecision(1)
        << std::setw(8) << 100 * t.accuracy << " %" << std::setw(12) << 1e3 * t.step_time
        << std::setw(14) << std::setprecision(2) << t.kept_bytes / (1 << 20) << " MiB"
        << std::setw(12) << t.peak_bytes / (1 << 20) << " MiB" << std::setw(10) << t.skipped.size()
        << std::setw(8) << std::setprecision(0) << t.scales.back() << '\n';
}

constexpr int kLeft = 58, kRight = 470;  // the picture's axis of steps

/// A line through points from the left end of the axis to its right end.
inline void polyline(std::ostream& out, const std::vector<double>& heights, const char* color) {
  out << "<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"" << color << "\" points=\"";
  const double steps = std::max<double>(1, static_cast<double>(heights.size()) - 1);
  for (std::size_t i = 0; i < heights.size(); ++i)
    if (std::isfinite(heights[i]))
      out << kLeft + (kRight - kLeft) * static_cast<double>(i) / steps << ',' << heights[i] << ' ';
  out << "\"/>\n";
}

/// The scale over the steps, in powers of two, with a mark at each skipped step.
inline void draw_scale(std::ostream& out, const Training& training, const char* color) {
  const auto [low, high] = std::minmax_element(training.scales.begin(), training.scales.end());
  const double bottom = std::log2(*low), range = std::max(1.0, std::log2(*high) - bottom);
  std::vector<double> heights;
  for (const double scale : training.scales)
    heights.push_back(360 - 80 * (std::log2(scale) - bottom) / range);
  polyline(out, heights, color);
  for (const std::size_t step : training.skipped)
    out << "<circle r=\"4\" fill=\"" << color << "\" cx=\""
        << kLeft + (kRight - kLeft) * static_cast<double>(step) /
                       static_cast<double>(heights.size() - 1)
        << "\" cy=\"" << heights[step] << "\"><title>step " << step + 1
        << " skipped</title></circle>\n";
  for (const double scale : {*low, *high})
    out << "<text x=\"54\" y=\"" << 364 - 80 * (std::log2(scale) - bottom) / range
        << "\" text-anchor=\"end\">" << number(scale) << "</text>\n";
}

/// Losses above, the scale of float16 below. @throws td::IoError when it cannot be written.
inline void write_svg(const std::string& path, const std::vector<Training>& all) {
  constexpr const char* kColors[] = {"#1f77b4", "#9467bd", "#2ca02c", "#d62728"};
  constexpr std::size_t kPoints = 200;
  std::ofstream out(path);
  out << std::fixed << std::setprecision(1) << td::trace::open_svg(400)
      << "<text x=\"8\" y=\"22\">loss</text><text x=\"8\" y=\"262\">scale</text>\n"
         "<path class=\"axis\" d=\"M58 10V230H470M58 270V370H470\"/>\n";
  const double largest = largest_loss(all, kPoints);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const char* const color = kColors[i % std::size(kColors)];
    std::vector<double> heights;
    for (const double loss : pieces(all[i].losses, kPoints))
      heights.push_back(230 - 220 * loss / largest);
    polyline(out, heights, color);
    out << "<text x=\"380\" y=\"" << 30 + 18 * i << "\" fill=\"" << color << "\">" << all[i].name
        << "</text>\n";
    if (all[i].name == "float16") draw_scale(out, all[i], color);
  }
  out << "<text x=\"470\" y=\"390\" text-anchor=\"end\">step " << all[0].losses.size()
      << "</text>\n</svg>\n";
  if (!out.flush()) throw td::IoError("--picture " + path + ": the picture cannot be written");
}

}  // namespace curves
