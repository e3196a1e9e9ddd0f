// Draws the images and writes sets of them in the two file formats. Every pixel is covered by a
// grid of sample points, so that edges are smooth at any angle.
#include "data/shapes10.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "os/file.h"
#include "td/base/parallel.h"
#include "td/ops/ops.h"

// A fused multiply-add rounds differently, and the images must not depend on the processor.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off")
#endif

namespace td::data {
namespace {

/// Random numbers that are the same on every machine (SplitMix64; Steele et al., 2014).
class DrawingRandom {
 public:
  explicit DrawingRandom(std::uint64_t seed) : state_(seed) {}
  /// The next 64 random bits.
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// Uniform in [low, high).
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(bits() >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

constexpr double kPi = std::numbers::pi;

enum Kind { kCircle, kSquare, kTriangle, kStar, kCross, kRing, kCrescent, kBars, kArrow, kGlass };
constexpr const char* kNames[] = {"circle", "square",   "triangle", "star",  "cross",
                                  "ring",   "crescent", "bars",     "arrow", "hourglass"};

// Each fifth of a star is symmetric: tests whether the point is inside the line from tip to dent.
bool in_star(double x, double y) {
  const double fifth = 2 * kPi / 5, radius = std::sqrt(x * x + y * y);
  double angle = std::atan2(x, -y);
  angle = std::abs(angle - fifth * std::round(angle / fifth));
  const double tip = 1.1, dent = 0.42, px = radius * std::cos(angle), py = radius * std::sin(angle);
  const double qx = dent * std::cos(fifth / 2), qy = dent * std::sin(fifth / 2);
  return (qx - tip) * py - qy * (px - tip) > 0;
}

// Whether the point (x, y) is inside a shape that fills about the unit circle; y points down.
bool is_inside(Kind kind, double x, double y) {
  const double a = std::abs(x), b = std::abs(y), square = x * x + y * y;
  if (kind == kCircle) return square < 0.81;
  if (kind == kSquare) return a < 0.76 && b < 0.76;
  if (kind == kTriangle) return y < 0.55 && y > 1.732 * a - 1.0;
  if (kind == kStar) return in_star(x, y);
  if (kind == kCross) return std::max(a, b) < 0.98 && std::min(a, b) < 0.3;
  if (kind == kRing) return square < 0.92 && square > 0.3;
  if (kind == kCrescent) return square < 0.92 && (x - 0.5) * (x - 0.5) + y * y > 0.5;
  if (kind == kBars) return a < 0.85 && b < 0.85 && b > 0.32;
  if (kind == kArrow) return x > 0.05 ? b < 0.8 * (1.0 - x) / 0.95 : x > -1.0 && b < 0.22;
  return b < 0.9 && a < 0.12 + 0.8 * b / 0.9;  // kGlass
}

using Colour = std::array<double, 3>;  // red, green, blue

double brightness(const Colour& colour) {
  return 0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2];
}

// An image that is being drawn; its values are from 0 to 1.
class Canvas {
 public:
  explicit Canvas(int size) : size_(size), pixels_(static_cast<std::size_t>(size * size)) {}

  Colour& at(int column, int row) {
    return pixels_[static_cast<std::size_t>(row * size_ + column)];
  }
  int size() const { return size_; }

  // Blends `colour` into the pixel; `cover` is the part of the pixel that it covers.
  void blend(int column, int row, const Colour& colour, double cover) {
    Colour& pixel = at(column, row);
    for (std::size_t c = 0; c < 3; ++c) pixel[c] += cover * (colour[c] - pixel[c]);
  }

  // Fills a shape of the given center, radius (pixels) and angle. Each pixel has 16 sample points.
  void fill(Kind kind, double cx, double cy, double radius, double angle, const Colour& colour) {
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
          hits += is_inside(kind, c * dx + s * dy, c * dy - s * dx);
        }
        if (hits) blend(column, row, colour, hits / 16.0);
      }
  }

 private:
  int size_;
  std::vector<Colour> pixels_;
};

Colour random_colour(DrawingRandom& random, double low, double high) {
  return {random.uniform(low, high), random.uniform(low, high), random.uniform(low, high)};
}

// Returns a color that is lighter than `ground` by at least `contrast`.
Colour lighter_colour(DrawingRandom& random, const Colour& ground, double contrast) {
  for (;;) {
    const Colour colour = random_colour(random, 0, 1);
    if (brightness(colour) - brightness(ground) > contrast) return colour;
  }
}

// Fills the canvas with a color gradient between two similar colors, in any direction.
Colour draw_ground(Canvas& canvas, DrawingRandom& random) {
  const Colour from = random_colour(random, 0.05, 0.65);
  const double angle = random.uniform(0, 2 * kPi);
  const double across = std::cos(angle), down = std::sin(angle);
  const double slope = random.uniform(-0.12, 0.12);
  for (int row = 0; row < canvas.size(); ++row)
    for (int column = 0; column < canvas.size(); ++column) {
      const double t =
          slope * (2.0 * (across * column + down * row) / canvas.size() - across - down);
      canvas.at(column, row) = {from[0] + t, from[1] + t, from[2] + t};
    }
  return from;
}

// Draws specks that are too small to be mistaken for the shape.
void draw_clutter(Canvas& canvas, DrawingRandom& random, const Colour& ground) {
  const double size = canvas.size(), unit = size / 32;
  const auto specks = random.bits() % 6;
  for (std::uint64_t i = 0; i < specks; ++i) {
    const Colour colour = lighter_colour(random, ground, 0.1);
    const double x = random.uniform(0, size), y = random.uniform(0, size);
    const double radius = random.uniform(0.8, 1.8) * unit;
    canvas.fill(kCircle, x, y, radius, 0, colour);
  }
}

std::uint8_t byte(double value) {
  return static_cast<std::uint8_t>(std::clamp(value, 0.0, 1.0) * 255 + 0.5);
}

/// Draws a shape of this kind among clutter.
/// @param pixels channels planes of size x size bytes; channels is 3 (red, green, blue) or 1.
void draw_picture(Kind kind, int size, int channels, DrawingRandom& random, std::uint8_t* pixels) {
  Canvas canvas(size);
  const Colour ground = draw_ground(canvas, random);
  draw_clutter(canvas, random, ground);
  const double radius = random.uniform(8.0, 12.0) * (size / 32.0);
  const double slack = size / 2.0 - radius;
  const double cx = size / 2.0 + random.uniform(-slack, slack);
  const double cy = size / 2.0 + random.uniform(-slack, slack);
  const double angle = random.uniform(-kPi / 5, kPi / 5);
  canvas.fill(kind, cx, cy, radius, angle, lighter_colour(random, ground, 0.2));
  const double noise = random.uniform(0.0, 0.05);
  const int plane = size * size;
  for (int i = 0; i < plane; ++i) {
    const Colour& pixel = canvas.at(i % size, i / size);
    for (int c = 0; c < channels; ++c) {
      const double value = channels == 1 ? brightness(pixel) : pixel[static_cast<std::size_t>(c)];
      pixels[i + c * plane] = byte(value + random.uniform(-noise, noise));
    }
  }
}

constexpr std::size_t kBatches = 5;  // as many training files as CIFAR-10 has

// Image `index` has its own random stream, so that any thread can draw any part of a set by itself.
// The lowest bit distinguishes train from test, so their seeds are never equal.
DrawingRandom stream_of(std::uint64_t seed, bool train, std::size_t index) {
  DrawingRandom of_seed(seed);
  const std::uint64_t key = of_seed.bits() & ~std::uint64_t{0xffffffff};
  DrawingRandom mixed(key | (std::uint64_t{index} << 1) | (train ? 0 : 1));
  return DrawingRandom(mixed.bits());
}

// A set of images as files store them: for each, a label and planes of bytes.
struct Set {
  std::uint64_t seed;
  bool train;
  int size, channels;

  std::size_t pixels() const { return static_cast<std::size_t>(channels * size * size); }
  // Labels repeat in a cycle, so that all classes are equally frequent; the loader shuffles.
  static std::uint8_t label(std::size_t index) {
    return static_cast<std::uint8_t>(index % std::size(kNames));
  }

  // Draws images [begin, end), the first to `images`, in pieces, so that the caller can show the
  // progress of `file`.
  void draw(std::size_t begin, std::size_t end, std::uint8_t* images, std::size_t stride,
            const std::string& file = "", const Shapes10Progress& progress = {}) const {
    constexpr std::int64_t kPiece = 512;
    const auto count = static_cast<std::int64_t>(end - begin);
    for (std::int64_t at = 0; at < count; at += kPiece) {
      const std::int64_t until = std::min(at + kPiece, count);
      parallel_for(at, until, 16, [&](std::int64_t from, std::int64_t to) {
        for (auto i = static_cast<std::size_t>(from); i < static_cast<std::size_t>(to); ++i) {
          DrawingRandom random = stream_of(seed, train, begin + i);
          draw_picture(static_cast<Kind>(label(begin + i)), size, channels, random,
                       images + i * stride);
        }
      });
      if (progress) progress(file, static_cast<std::size_t>(until), end - begin);
    }
  }
};

void write_cifar(const std::string& folder, const char* name, const Set& set, std::size_t begin,
                 std::size_t end, const Shapes10Progress& progress) {
  const std::size_t record = 1 + set.pixels();
  Bytes file((end - begin) * record);
  set.draw(begin, end, file.data() + 1, record, name, progress);
  for (std::size_t i = begin; i < end; ++i) file[(i - begin) * record] = Set::label(i);
  write_file(folder + "/" + name, file.data(), file.size());
}

void put_big_endian(Bytes& file, std::size_t value) {
  for (int shift = 24; shift >= 0; shift -= 8)
    file.push_back(static_cast<std::uint8_t>(value >> shift & 0xff));
}

void write_idx(const std::string& folder, const std::string& kind, const Set& set,
               std::size_t count, const Shapes10Progress& progress) {
  Bytes images, labels;
  const auto size = static_cast<std::size_t>(set.size);
  for (std::size_t number : {std::size_t{0x0803}, count, size, size})
    put_big_endian(images, number);
  for (std::size_t number : {std::size_t{0x0801}, count}) put_big_endian(labels, number);
  const std::size_t header = images.size();
  images.resize(header + count * set.pixels());
  const std::string name = kind + "-images-idx3-ubyte";
  set.draw(0, count, images.data() + header, set.pixels(), name, progress);
  for (std::size_t i = 0; i < count; ++i) labels.push_back(Set::label(i));
  write_file(folder + "/" + name, images.data(), images.size());
  write_file(folder + "/" + kind + "-labels-idx1-ubyte", labels.data(), labels.size());
}

}  // namespace

std::vector<std::string> shapes10_classes() { return {std::begin(kNames), std::end(kNames)}; }

datasets::ImageDataset draw_shapes10(std::size_t count, std::uint64_t seed, bool train,
                                     int channels) {
  TD_CHECK(Error, channels == 1 || channels == 3, "draw_shapes10: channels is ", channels,
           "; expected 3 (colour) or 1 (grey)");
  const Set set{seed, train, channels == 3 ? 32 : 28, channels};
  const auto n = static_cast<std::int64_t>(count);
  Tensor images = empty({n, channels, set.size, set.size}, kByte), labels = empty({n}, kLong);
  set.draw(0, count, images.data_ptr<std::uint8_t>(), set.pixels());
  for (std::size_t i = 0; i < count; ++i) labels.data_ptr<std::int64_t>()[i] = Set::label(i);
  return {images, labels};
}

void write_shapes10(const std::string& folder, std::uint64_t seed, const Shapes10Progress& progress,
                    Shapes10Sizes sizes) {
  TD_CHECK(Error, sizes.train >= kBatches && sizes.test > 0, "write_shapes10: ", sizes.train,
           " training and ", sizes.test, " test pictures; each of the ", kBatches,
           " training files and the test file needs at least one");
  make_folder(folder);
  const Set train{seed, true, 32, 3}, test{seed, false, 32, 3};
  for (std::size_t b = 0; b < kBatches; ++b) {
    std::string name = "data_batch_" + std::to_string(b + 1);
    name += ".bin";  // g++ 14 warns of what its library does for a longer sum
    write_cifar(folder, name.c_str(), train, sizes.train * b / kBatches,
                sizes.train * (b + 1) / kBatches, progress);
  }
  write_cifar(folder, "test_batch.bin", test, 0, sizes.test, progress);
  std::string names;
  for (const std::string& name : shapes10_classes()) names += name + "\n";
  write_file(folder + "/batches.meta.txt", names.data(), names.size());
}

void write_grey_shapes10(const std::string& folder, std::uint64_t seed,
                         const Shapes10Progress& progress, Shapes10Sizes sizes) {
  make_folder(folder);
  write_idx(folder, "train", {seed, true, 28, 1}, sizes.train, progress);
  write_idx(folder, "t10k", {seed, false, 28, 1}, sizes.test, progress);
}

}  // namespace td::data
