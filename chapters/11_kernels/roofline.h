// The roofline: the most operations per second that a device can do at an arithmetic intensity, for
// a GPU from its data sheet and for this machine from measurements; as text and as a picture.
// Included by main.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

#include "app/interleaved.h"
#include "td/td.h"
#include "trace/svg.h"

namespace roofline {

/// Two limits of a device: operations per second, and bytes per second of its memory.
struct Roof {
  std::string name;
  double flops, bytes_per_second;

  double ridge() const { return flops / bytes_per_second; }
  /// The most operations per second at `intensity` FLOP per byte.
  double at(double intensity) const { return std::min(flops, intensity * bytes_per_second); }
};

/// Kernels of one intensity, in FLOP per byte.
struct Point {
  std::string names;
  double intensity;
};
/// Adds a kernel to the points of a roof.
inline void add_point(std::vector<Point>& points, const std::string& name, double intensity) {
  for (Point& point : points)
    if (std::abs(point.intensity - intensity) < 0.01 * intensity) {
      point.names += ", " + name;
      return;
    }
  points.push_back({name, intensity});
}

/// Median seconds of one call, of five after two that do not count.
inline double median_seconds(td::Device device, const app::Variant& work) {
  const app::Variant whole = [&] {
    work();
    td::synchronize(device);
  };
  return app::median_seconds_interleaved({whole}, 5)[0];
}

// anchor: measure
/// Measures a device: a copy that is larger than its caches reads and writes each byte once, and a
/// product of large square matrices is limited by arithmetic.
inline Roof measure(td::Device device) {
  const std::int64_t elements = device.is_cuda() ? 1 << 26 : 1 << 24;
  const std::int64_t side = device.is_cuda() ? 8192 : 1024;
  const td::Tensor from = td::ones({elements}, device), to = td::empty_like(from);
  const td::Tensor a = td::randn({side, side}, device);
  const double copy = median_seconds(device, [&] { to.copy_(from); });
  const double product = median_seconds(device, [&] { a.mm(a); });
  const double flops = 2.0 * std::pow(static_cast<double>(side), 3);
  return {device.str(), flops / product, 2.0 * 4 * static_cast<double>(elements) / copy};
}
// anchor end

/// The picture's axes: FLOP per byte and FLOP per second, both by powers of ten.
struct Plane {
  static constexpr double kLeft = 62, kRight = 456, kTop = 96, kBottom = 390;
  static constexpr double kFrom = 0.01, kTo = 1000;  // FLOP per byte
  double lowest, highest;                            // FLOP per second

  double x(double intensity) const {
    return kLeft + (kRight - kLeft) * std::log10(intensity / kFrom) / std::log10(kTo / kFrom);
  }
  double y(double flops) const {
    return kBottom - (kBottom - kTop) * std::log10(flops / lowest) / std::log10(highest / lowest);
  }
};

/// "0.01", "1", "100000"
inline std::string power_of_ten(double number) {
  std::ostringstream text;
  text << std::setprecision(9) << number;
  return text.str();
}

inline void draw_axes(std::ostream& out, const Plane& plane) {
  for (double flops = plane.lowest; flops < 1.5 * plane.highest; flops *= 10)
    out << "<path class=\"grid\" d=\"M62 " << plane.y(flops) << "H456\"/>\n<text x=\"58\" y=\""
        << plane.y(flops) + 4 << "\" text-anchor=\"end\">" << power_of_ten(flops / 1e9)
        << "</text>\n";
  for (double i = Plane::kFrom; i < 1.5 * Plane::kTo; i *= 10)
    out << "<text x=\"" << plane.x(i) << "\" y=\"408\" text-anchor=\"middle\">" << power_of_ten(i)
        << "</text>\n";
  out << "<path class=\"axis\" d=\"M62 96V390H456\"/>\n"
         "<text x=\"8\" y=\"86\">GFLOP/s</text>\n"
         "<text x=\"266\" y=\"428\" text-anchor=\"middle\">FLOP per byte</text>\n";
}

inline void draw_roof(std::ostream& out, const Plane& plane, const Roof& roof, const char* color,
                      int row) {
  out << "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" << color << "\" points=\""
      << plane.x(Plane::kFrom) << ',' << plane.y(roof.at(Plane::kFrom)) << ' '
      << plane.x(roof.ridge()) << ',' << plane.y(roof.flops) << ' ' << plane.x(Plane::kTo) << ','
      << plane.y(roof.flops) << "\"/>\n<text x=\"8\" y=\"" << 18 + 20 * row << "\" fill=\"" << color
      << "\">" << roof.name << "</text>\n";
}

inline void draw_point(std::ostream& out, const Plane& plane, const Roof& roof, const Point& point,
                       const char* color, bool above) {
  const double x = plane.x(std::clamp(point.intensity, Plane::kFrom, Plane::kTo));
  const double y = plane.y(roof.at(point.intensity));
  out << "<circle r=\"4\" fill=\"" << color << "\" cx=\"" << x << "\" cy=\"" << y
      << "\"/>\n<text x=\"" << (above ? x - 6 : x + 8) << "\" y=\"" << (above ? y - 6 : y + 16)
      << "\" text-anchor=\"" << (above ? "end" : "start") << "\" font-size=\"11\">" << point.names
      << "</text>\n";
}

/// Draws points at what is possible for them. Their names are below the roof or above it; near ones
/// take turns, so that they do not overlap.
inline void draw_points(std::ostream& out, const Plane& plane, const Roof& roof,
                        std::vector<Point> points, const char* color, bool all_above) {
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.intensity > b.intensity; });
  constexpr double kNear = 30;
  double last = plane.x(Plane::kTo) + kNear;
  bool above = all_above;
  for (const Point& point : points) {
    const double x = plane.x(point.intensity);
    above = all_above || (last - x < kNear && !above);
    draw_point(out, plane, roof, point, color, above);
    last = x;
  }
}

/// Writes the picture: each roof, and its points at what is possible for them. @throws td::IoError
/// when the file cannot be written.
inline void write(const std::string& path, const std::vector<Roof>& roofs,
                  const std::vector<std::vector<Point>>& points) {
  constexpr const char* kColors[] = {"#1f77b4", "#d62728", "#2ca02c"};
  Plane plane{1e8, 1e9};
  for (const Roof& roof : roofs) {
    while (plane.highest < roof.flops) plane.highest *= 10;
    while (plane.lowest > roof.at(Plane::kFrom)) plane.lowest /= 10;
  }
  std::ofstream out(path);
  out << std::fixed << std::setprecision(1) << td::trace::open_svg(436);
  draw_axes(out, plane);
  for (std::size_t i = 0; i < roofs.size(); ++i) {
    draw_roof(out, plane, roofs[i], kColors[i % std::size(kColors)], static_cast<int>(i));
    draw_points(out, plane, roofs[i], points[i], kColors[i % std::size(kColors)], i > 0);
  }
  out << "</svg>\n";
  if (!out.flush()) throw td::IoError("--pictures " + path + ": the picture cannot be written");
}

}  // namespace roofline
