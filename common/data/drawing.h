// Draws one picture of Shapes-10 into bytes. Knows nothing of tensors and files.
#pragma once

#include <cstdint>

namespace td::data {

/// Random numbers that are the same on every machine (SplitMix64; Steele et al., 2014).
class DrawingRandom {
 public:
  explicit DrawingRandom(std::uint64_t seed) : state_(seed) {}
  /// The next 32 random bits.
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
  /// A number from 0 to n - 1.
  int below(int n) { return static_cast<int>(bits() % static_cast<std::uint64_t>(n)); }

 private:
  std::uint64_t state_;
};

/// How many kinds of shape are drawn.
inline constexpr int kShapeKinds = 10;
/// The name of a kind of shape, "circle".
const char* shape_name(int kind);

/// Draws a shape of this kind among clutter.
/// @param pixels channels planes of size x size bytes; channels is 3 (red, green, blue) or 1.
void draw_picture(int kind, int size, int channels, DrawingRandom& random, std::uint8_t* pixels);

}  // namespace td::data
