// Fetches of textures outside of a launch, against the formulas of the CUDA C++ Programming Guide
// ("Texture Fetching") in double. An index outside is brought inside step by step here.
#include <cmath>
#include <cstring>
#include <vector>

#include "catch.h"
#include "simt/textures.h"

using namespace td::simt;

namespace {

constexpr int kWidth = 5, kHeight = 4, kDepth = 3;

struct Volume {
  std::vector<float> texels = std::vector<float>(kWidth * kHeight * kDepth);
  Texture texture;

  explicit Volume(TextureShape shape) {
    for (std::size_t i = 0; i < texels.size(); ++i)
      texels[i] = static_cast<float>((i * 37 + 11) % 101) / 8 - 3;
    texture.shape = shape;
    texture.data = reinterpret_cast<char*>(texels.data());
    texture.pitch = kWidth * sizeof(float);
    texture.plane = kHeight * texture.pitch;
    texture.width = kWidth, texture.height = kHeight, texture.depth = kDepth;
    texture.channels = 1, texture.channel_bits = 32, texture.kind = ChannelKind::kFloat;
    texture.border[0] = 7;
  }

  /// The texel at indices that may be outside.
  double at(int x, int y, int z) const {
    int index[] = {x, y, z};
    const int extent[] = {kWidth, kHeight, kDepth};
    for (int axis = 0; axis < 3; ++axis) {
      int& i = index[axis];
      const int n = extent[axis];
      while (i < 0 || i >= n) {
        switch (texture.address[axis]) {
          case AddressMode::kBorder:
            return 7;
          case AddressMode::kClamp:
            i += i < 0 ? 1 : -1;
            break;
          case AddressMode::kWrap:
            i += i < 0 ? n : -n;
            break;
          case AddressMode::kMirror:
            i = i < 0 ? -1 - i : 2 * n - 1 - i;
        }
      }
    }
    return static_cast<double>(
        texels[static_cast<std::size_t>((index[2] * kHeight + index[1]) * kWidth + index[0])]);
  }

  /// At a point in texels.
  double expected(double x, double y, double z, int axes) const {
    if (!texture.is_linear)
      return at(static_cast<int>(std::floor(x)), axes > 1 ? static_cast<int>(std::floor(y)) : 0,
                axes > 2 ? static_cast<int>(std::floor(z)) : 0);
    const double point[] = {x - 0.5, y - 0.5, z - 0.5};
    double sum = 0;
    for (int corner = 0; corner < 1 << axes; ++corner) {
      double weight = 1;
      int index[3] = {0, 0, 0};
      for (int axis = 0; axis < axes; ++axis) {
        const double first = std::floor(point[axis]);
        const double fraction = std::floor((point[axis] - first) * 256 + 0.5) / 256;
        const bool is_second = corner >> axis & 1;
        weight *= is_second ? fraction : 1 - fraction;
        index[axis] = static_cast<int>(first) + is_second;
      }
      sum += weight * at(index[0], index[1], index[2]);
    }
    return sum;
  }
};

float number(const Texel& texel, int channel = 0) {
  return same_bits<float>(texel.channels[channel]);
}

/// An object for the lifetime of the guard.
struct Object {
  std::uint64_t handle;
  explicit Object(const Texture& texture) : handle(add_texture(texture)) {}
  ~Object() { remove_texture(handle); }
};

}  // namespace

TEST_CASE("fetches filter and address as the programming guide says") {
  const struct {
    TextureShape shape;
    int axes;
  } shapes[] = {{TextureShape::k1D, 1}, {TextureShape::k2D, 2}, {TextureShape::k3D, 3}};
  for (const auto& [shape, axes] : shapes)
    for (const bool is_linear : {false, true})
      for (const AddressMode mode :
           {AddressMode::kWrap, AddressMode::kClamp, AddressMode::kMirror, AddressMode::kBorder}) {
        Volume volume(shape);
        volume.texture.is_linear = is_linear;
        volume.texture.address[0] = volume.texture.address[1] = volume.texture.address[2] = mode;
        const Object object(volume.texture);
        double worst = 0;
        for (int i = 0; i < 500; ++i) {
          const auto x = static_cast<float>(i % 97) / 8 - 4, y = static_cast<float>(i % 61) / 7 - 3,
                     z = static_cast<float>(i % 31) / 5 - 2;
          const double got = static_cast<double>(number(fetch(object.handle, shape, x, y, z)));
          worst = std::max(
              worst, std::fabs(got - volume.expected(static_cast<double>(x), static_cast<double>(y),
                                                     static_cast<double>(z), axes)));
        }
        INFO("axes " << axes << ", linear " << is_linear << ", mode " << static_cast<int>(mode));
        CHECK(worst < 1e-5);
      }
}

TEST_CASE("a normalized coordinate counts the whole extent") {
  Volume volume(TextureShape::k2D);
  volume.texture.has_unit_extents = true;
  volume.texture.address[0] = volume.texture.address[1] = AddressMode::kWrap;
  const Object object(volume.texture);
  CHECK(number(fetch(object.handle, TextureShape::k2D, 0.5f, 0.25f)) == volume.texels[kWidth + 2]);
  CHECK(number(fetch(object.handle, TextureShape::k2D, -0.1f, 2.3f)) ==
        volume.texels[kWidth + kWidth - 1]);
}

TEST_CASE("the fraction of a linear filter has 8 bits") {
  Volume volume(TextureShape::k1D);
  volume.texels[0] = 0, volume.texels[1] = 1;
  volume.texture.is_linear = true;
  volume.texture.address[0] = AddressMode::kClamp;
  const Object object(volume.texture);
  CHECK(number(fetch(object.handle, TextureShape::k1D, 0.5f + 0.3f)) == 77.0f / 256);
  CHECK(number(fetch(object.handle, TextureShape::k1D, 0.5f + 0.001f)) == 0);
  CHECK(number(fetch(object.handle, TextureShape::k1D, 0.5f + 0.999f)) == 1);
}

TEST_CASE("a layer is clamped, and a cubemap takes the face of its largest coordinate") {
  Volume layers(TextureShape::k2DLayered);
  const Object object(layers.texture);
  for (const auto& [layer, taken] : {std::pair{-1, 0}, {1, 1}, {9, 2}})
    CHECK(static_cast<double>(number(fetch(object.handle, TextureShape::k2DLayered, 2.5f, 1.5f, 0,
                                           layer))) == layers.at(2, 1, taken));

  // Faces of 2 x 2 texels: face * 10 + row * 2 + column.
  std::vector<float> faces(24);
  for (std::size_t i = 0; i < faces.size(); ++i) faces[i] = static_cast<float>(i / 4 * 10 + i % 4);
  Texture cube = layers.texture;
  cube.shape = TextureShape::kCubemap;
  cube.data = reinterpret_cast<char*>(faces.data());
  cube.pitch = 8, cube.plane = 16, cube.width = cube.height = 2, cube.depth = 6;
  cube.has_unit_extents = true;
  const Object map(cube);
  const struct {
    float x, y, z, expected;
  } directions[] = {{1, 0.5f, 0.5f, 0},    {1, -0.5f, -0.5f, 3}, {-1, 0.5f, 0.5f, 11},
                    {0.5f, 1, 0.5f, 23},   {0.5f, -1, 0.5f, 31}, {0.5f, 0.5f, 1, 41},
                    {0.5f, -0.5f, -1, 52}, {-2, 1.5f, -1.5f, 10}};
  for (const auto& d : directions)
    CHECK(number(fetch(map.handle, TextureShape::kCubemap, d.x, d.y, d.z)) == d.expected);
}

TEST_CASE("channels are read with their type, or normalized") {
  const std::uint8_t bytes[] = {0, 51, 255, 128, 1, 2, 3, 4};
  Texture texture;
  texture.shape = TextureShape::kElements;
  texture.data = const_cast<char*>(reinterpret_cast<const char*>(bytes));
  texture.width = 2, texture.height = texture.depth = 1;
  texture.channels = 4, texture.channel_bits = 8, texture.kind = ChannelKind::kUnsigned;
  {
    const Object object(texture);
    const Texel texel = fetch_element(object.handle, 0);
    CHECK((texel.channels[1] == 51 && texel.channels[2] == 255 && texel.channels[3] == 128));
    CHECK(fetch_element(object.handle, 1).channels[3] == 4);
    for (const int outside : {-1, 2}) CHECK(fetch_element(object.handle, outside).channels[0] == 0);
  }
  texture.normalizes = true;
  {
    const Object object(texture);
    CHECK(number(fetch_element(object.handle, 0), 1) == 51.0f / 255);
    CHECK(number(fetch_element(object.handle, 0), 2) == 1);
  }
  texture.kind = ChannelKind::kSigned;
  const Object object(texture);
  CHECK(number(fetch_element(object.handle, 0), 3) == -1);  // of -128
  CHECK(number(fetch_element(object.handle, 0), 2) == -1.0f / 127);
  const std::uint16_t halves[] = {0x3c00, 0xc100};
  texture = {.shape = TextureShape::kElements, .data = (char*)halves};
  texture.width = 1, texture.height = texture.depth = 1;
  texture.channels = 2, texture.channel_bits = 16, texture.kind = ChannelKind::kFloat;
  const Object of_halves(texture);
  CHECK(number(fetch_element(of_halves.handle, 0), 0) == 1);
  CHECK(number(fetch_element(of_halves.handle, 0), 1) == -2.5f);
}

TEST_CASE("a handle of a destroyed object does not return") {
  Volume volume(TextureShape::k1D);
  const std::uint64_t first = add_texture(volume.texture);
  CHECK(remove_texture(first));
  CHECK_FALSE(remove_texture(first));
  CHECK_FALSE(remove_texture(0));
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t handle = add_texture(volume.texture);
    if (handle == first || !remove_texture(handle)) FAIL("the handle returns");
  }
}
