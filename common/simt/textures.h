// Textures and surfaces: what the functions of the language (cuda/include/
// texture_indirect_functions.h and surface_indirect_functions.h) call, and how a runtime makes the
// objects that they get. The rules are those of the CUDA C++ Programming Guide, "Texture Fetching".
//
// Invariant: a handle of an object that was destroyed never means another object.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simt/device_calls.h"

namespace td::simt {

/// A kernel must fetch with the function of the texture's shape. kElements is linear memory.
enum class TextureShape : std::uint8_t {
  kElements,
  k1D,
  k2D,
  k3D,
  k1DLayered,
  k2DLayered,
  kCubemap,
  kCubemapLayered
};
/// With CUDA's numbers.
///@{
enum class AddressMode : std::uint8_t { kWrap, kClamp, kMirror, kBorder };
enum class BoundaryMode : std::uint8_t { kZero, kClamp, kTrap };
enum class ChannelKind : std::uint8_t { kSigned, kUnsigned, kFloat };
///@}

/// A texture object, or a surface object, which has a shape and memory only.
struct Texture {
  TextureShape shape{};           ///< with which function kernels must fetch
  bool is_surface = false;        ///< else a texture
  bool is_linear = false;         ///< filters linearly; else takes the nearest texel
  bool has_unit_extents = false;  ///< coordinates are normalized: 1 is the whole extent
  bool normalizes = false;        ///< integers become floats of [0, 1] or [-1, 1]
  AddressMode address[3]{};       ///< of each axis
  float border[4]{};              ///< the channels outside, for AddressMode::kBorder

  char* data = nullptr;       ///< the first texel
  std::size_t pitch = 0;      ///< bytes from a row to the next
  std::size_t plane = 0;      ///< bytes from a plane, or layer, to the next
  unsigned width = 0;         ///< in texels, at least 1
  unsigned height = 0;        ///< in rows, at least 1
  unsigned depth = 0;         ///< in planes or layers, at least 1
  unsigned channels = 0;      ///< of a texel: 1, 2 or 4
  unsigned channel_bits = 0;  ///< 8, 16 or 32
  ChannelKind kind{};         ///< of the channels' numbers
  /// The size of a texel.
  std::size_t texel_bytes() const { return channels * channel_bits / 8; }
};

/// Four channels: floats or, for integers that are not normalized, integers; as their bits.
struct Texel {
  std::uint32_t channels[4];  ///< 0 where the texture has fewer
};

/// Makes an object. @return its handle; 0 where 4,095 exist.
std::uint64_t add_texture(const Texture& texture);
/// @return false where no object has the handle.
bool remove_texture(std::uint64_t handle);

// Each ends the thread with a finding if the object does not exist or has another shape.

/// Reads at a point, which is a direction for a cubemap. @param layer of a layered texture
Texel fetch(std::uint64_t texture, TextureShape shape, float x, float y = 0, float z = 0,
            int layer = 0);
/// Reads an element of linear memory. Outside, all channels are 0.
Texel fetch_element(std::uint64_t texture, int index);
/// Where so many bytes of a surface are: from byte x of row y of layer or plane z on. With the mode
/// kTrap, ends the thread with a finding where that is outside. @return null outside with kZero.
void* surface_address(std::uint64_t surface, TextureShape shape, int x, int y, int z,
                      std::size_t bytes, BoundaryMode mode);

}  // namespace td::simt
