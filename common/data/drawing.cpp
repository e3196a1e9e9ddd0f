// The shapes, the clutter and the brush. Every pixel is covered by a grid of sample points, so that
// edges are smooth at any angle.
#include "data/drawing.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

// A fused multiply-add rounds differently, and the pictures must not depend on the processor.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off")
#endif

namespace td::data {
namespace {

constexpr double kPi = std::numbers::pi;

// Each function says whether the point (x, y) is inside a shape that fills about the unit circle;
// y points down.

bool in_circle(double x, double y) { return x * x + y * y < 0.81; }

bool in_square(double x, double y) { return std::abs(x) < 0.76 && std::abs(y) < 0.76; }

bool in_triangle(double x, double y) { return y < 0.55 && y > 1.732 * std::abs(x) - 1.0; }

// Five points: inside, for the point's place within its fifth, of the line from tip to dent.
bool in_star(double x, double y) {
  const double fifth = 2 * kPi / 5, radius = std::sqrt(x * x + y * y);
  double angle = std::atan2(x, -y);
  angle = std::abs(angle - fifth * std::round(angle / fifth));
  const double tip = 1.1, dent = 0.42, px = radius * std::cos(angle), py = radius * std::sin(angle);
  const double qx = dent * std::cos(fifth / 2), qy = dent * std::sin(fifth / 2);
  return (qx - tip) * py - qy * (px - tip) > 0;
}

bool in_cross(double x, double y) {
  const double a = std::abs(x), b = std::abs(y);
  return std::max(a, b) < 0.98 && std::min(a, b) < 0.3;
}

bool in_ring(double x, double y) {
  const double square = x * x + y * y;
  return square < 0.92 && square > 0.3;
}

bool in_crescent(double x, double y) {
  const double dx = x - 0.5;
  return x * x + y * y < 0.92 && dx * dx + y * y > 0.5;
}

bool in_bars(double x, double y) {
  return std::abs(x) < 0.85 && std::abs(y) < 0.85 && std::abs(y) > 0.32;
}

bool in_arrow(double x, double y) {
  const bool head = x > 0.05 && std::abs(y) < 0.8 * (1.0 - x) / 0.95;
  return head || (x > -1.0 && x <= 0.05 && std::abs(y) < 0.22);
}

bool in_hourglass(double x, double y) {
  return std::abs(y) < 0.9 && std::abs(x) < 0.12 + 0.8 * std::abs(y) / 0.9;
}

struct Kind {
  const char* name;
  bool (*inside)(double x, double y);
};
constexpr Kind kKinds[kShapeKinds] = {
    {"circle", in_circle},       {"square", in_square}, {"triangle", in_triangle},
    {"star", in_star},           {"cross", in_cross},   {"ring", in_ring},
    {"crescent", in_crescent},   {"bars", in_bars},     {"arrow", in_arrow},
    {"hourglass", in_hourglass},
};

struct Colour {
  double red, green, blue;
  double brightness() const { return 0.3 * red + 0.59 * green + 0.11 * blue; }
};

// A picture in work: values from 0 to 1.
class Canvas {
 public:
  explicit Canvas(int size) : size_(size), pixels_(static_cast<std::size_t>(size * size)) {}

  Colour& at(int column, int row) {
    return pixels_[static_cast<std::size_t>(row * size_ + column)];
  }
  int size() const { return size_; }

  // Puts `colour` over the pixel, `cover` of it.
  void blend(int column, int row, const Colour& colour, double cover) {
    Colour& pixel = at(column, row);
    pixel.red += cover * (colour.red - pixel.red);
    pixel.green += cover * (colour.green - pixel.green);
    pixel.blue += cover * (colour.blue - pixel.blue);
  }

  // Fills the shape with centre, radius (pixels) and angle given. Each pixel has 16 sample points.
  void fill(bool (*inside)(double, double), double cx, double cy, double radius, double angle,
            const Colour& colour) {
    const double c = std::cos(angle) / radius, s = std::sin(angle) / radius;
    const int reach = static_cast<int>(radius * 1.45) + 1;
    const int left = std::max(0, static_cast<int>(cx) - reach);
    const int right = std::min(size_ - 1, static_cast<int>(cx) + reach);
    const int top = std::max(0, static_cast<int>(cy) - reach);
    const int bottom = std::min(size_ - 1, static_cast<int>(cy) + reach);
    for (int row = top; row <= bottom; ++row)
      for (int column = left; column <= right; ++column) {
        int hits = 0;
        for (int sample = 0; sample < 16; ++sample) {
          const double dx = column + (sample % 4 + 0.5) / 4 - cx;
          const double dy = row + (sample / 4 + 0.5) / 4 - cy;
          hits += inside(c * dx + s * dy, c * dy - s * dx);
        }
        if (hits) blend(column, row, colour, hits / 16.0);
      }
  }

 private:
  int size_;
  std::vector<Colour> pixels_;
};

Colour random_colour(DrawingRandom& random, double low, double high) {
  const double red = random.uniform(low, high), green = random.uniform(low, high);
  return {red, green, random.uniform(low, high)};
}

// A colour that is lighter than `ground` by at least `contrast`.
Colour lighter_colour(DrawingRandom& random, const Colour& ground, double contrast) {
  for (;;) {
    const Colour colour = random_colour(random, 0, 1);
    if (colour.brightness() - ground.brightness() > contrast) return colour;
  }
}

// A slope from one colour to a similar one, in any direction.
Colour draw_ground(Canvas& canvas, DrawingRandom& random) {
  const Colour from = random_colour(random, 0.05, 0.65);
  const double angle = random.uniform(0, 2 * kPi);
  const double across = std::cos(angle), down = std::sin(angle);
  const double slope = random.uniform(-0.12, 0.12);
  for (int row = 0; row < canvas.size(); ++row)
    for (int column = 0; column < canvas.size(); ++column) {
      const double t =
          slope * (2.0 * (across * column + down * row) / canvas.size() - across - down);
      canvas.at(column, row) = {from.red + t, from.green + t, from.blue + t};
    }
  return from;
}

// Specks and short strokes, too small to be taken for the shape.
void draw_clutter(Canvas& canvas, DrawingRandom& random, const Colour& ground) {
  const double size = canvas.size(), unit = size / 32;
  const int specks = random.below(6);
  for (int i = 0; i < specks; ++i) {
    const Colour colour = lighter_colour(random, ground, 0.1);
    const double x = random.uniform(0, size), y = random.uniform(0, size);
    const double radius = random.uniform(0.8, 1.8) * unit;
    canvas.fill(in_circle, x, y, radius, 0, colour);
  }
}

std::uint8_t byte(double value) {
  return static_cast<std::uint8_t>(std::clamp(value, 0.0, 1.0) * 255 + 0.5);
}

}  // namespace

const char* shape_name(int kind) { return kKinds[kind].name; }

void draw_picture(int kind, int size, int channels, DrawingRandom& random, std::uint8_t* pixels) {
  Canvas canvas(size);
  const double unit = size / 32.0;
  const Colour ground = draw_ground(canvas, random);
  draw_clutter(canvas, random, ground);
  const double radius = random.uniform(8.0, 12.0) * unit;
  const double slack = size / 2.0 - radius;
  const double cx = size / 2.0 + random.uniform(-slack, slack);
  const double cy = size / 2.0 + random.uniform(-slack, slack);
  const double angle = random.uniform(-kPi / 5, kPi / 5);
  canvas.fill(kKinds[kind].inside, cx, cy, radius, angle, lighter_colour(random, ground, 0.2));
  const double noise = random.uniform(0.0, 0.05);
  const int plane = size * size;
  for (int i = 0; i < plane; ++i) {
    const Colour& pixel = canvas.at(i % size, i / size);
    if (channels == 1) {
      pixels[i] = byte(pixel.brightness() + random.uniform(-noise, noise));
      continue;
    }
    pixels[i] = byte(pixel.red + random.uniform(-noise, noise));
    pixels[i + plane] = byte(pixel.green + random.uniform(-noise, noise));
    pixels[i + 2 * plane] = byte(pixel.blue + random.uniform(-noise, noise));
  }
}

}  // namespace td::data
