// Draws the roofline of a GPU and of this machine, with the chapter's kernels.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <sstream>

#include "app/app.h"
#include "roofline.h"
#include "trace/svg.h"

namespace roofline {
namespace {

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
std::string power_of_ten(double number) {
  std::ostringstream text;
  text << std::setprecision(9) << number;
  return text.str();
}

void draw_axes(std::ostream& out, const Plane& plane) {
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

void draw_roof(std::ostream& out, const Plane& plane, const Roof& roof, const char* color,
               int row) {
  out << "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" << color << "\" points=\""
      << plane.x(Plane::kFrom) << ',' << plane.y(roof.at(Plane::kFrom)) << ' '
      << plane.x(roof.ridge()) << ',' << plane.y(roof.flops) << ' ' << plane.x(Plane::kTo) << ','
      << plane.y(roof.flops) << "\"/>\n<text x=\"8\" y=\"" << 18 + 20 * row << "\" fill=\"" << color
      << "\">" << roof.name << "</text>\n";
}

void draw_point(std::ostream& out, const Plane& plane, const Roof& roof, const Point& point,
                const char* color, bool above, int line) {
  const double x = plane.x(std::clamp(point.intensity, Plane::kFrom, Plane::kTo));
  const double y = plane.y(roof.at(point.intensity));
  out << "<circle r=\"4\" fill=\"" << color << "\" cx=\"" << x << "\" cy=\"" << y
      << "\"/>\n<text x=\"" << (above ? x - 6 : x + 8) << "\" y=\""
      << (above ? y - 6 : y + 16 + 14 * line) << "\" text-anchor=\"" << (above ? "end" : "start")
      << "\" font-size=\"11\">" << point.label() << "</text>\n";
}

/// Draws points at what is possible for them. Their names are below the roof or above it; below, a
/// near one is a line lower, so that they do not overlap.
void draw_points(std::ostream& out, const Plane& plane, const Roof& roof, std::vector<Point> points,
                 const char* color, bool above) {
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.intensity > b.intensity; });
  constexpr double kNear = 30;
  double last = plane.x(Plane::kTo) + kNear;
  int line = 0;
  for (const Point& point : points) {
    const double x = plane.x(point.intensity);
    line = last - x < kNear ? line + 1 : 0;
    draw_point(out, plane, roof, point, color, above, line);
    last = x;
  }
}

/// Writes the picture: each roof, and its points at what is possible for them. @throws td::IoError
/// when the file cannot be written.
void write(const std::string& path, const std::vector<Roof>& roofs,
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
  if (!out.flush()) throw td::IoError(path + " cannot be written; does its folder exist?");
}

}  // namespace
}  // namespace roofline

int main(int argc, char** argv) {
  std::string gpu = "H100", picture = "roofline.svg";
  app::Command command("ch13-roofline_picture", "Draws the roofline as an .svg file.");
  add_gpu_option(command, gpu);
  command.option("--picture", picture, "the file");
  return command.run(argc, argv, [&](const app::Options& options) {
    const td::simt::GpuLimits& limits = td::simt::gpu(gpu);
    const auto [roofs, points] =
        roofline::of_kernels(observe_all(demos, limits), limits, app::choose_device(options));
    roofline::write(picture, roofs, points);
  });
}
