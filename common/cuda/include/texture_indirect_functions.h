// The functions that read texture objects in kernels. Included by cuda_runtime.h. What they compute
// is in simt/textures.h. There are no mipmaps, so that a level of detail makes no difference.
//
// Invariant: each is inlined, so that a finding has the kernel's line.
#pragma once

#include <type_traits>

#include "simt/textures.h"
#include "texture_types.h"

namespace td::cudart {

/// A channel as T's element: a float, or the low bits of an integer.
template <class E>
TD_SIMT_INLINE E channel_as(std::uint32_t bits) {
  if constexpr (std::is_floating_point_v<E>)
    return td::simt::same_bits<float>(bits);
  else
    return static_cast<E>(bits);
}

/// A number, or a vector of 1, 2 or 4, of the channels.
template <class T>
TD_SIMT_INLINE T texel_as(const td::simt::Texel& texel) {
  if constexpr (std::is_arithmetic_v<T>) {
    return channel_as<T>(texel.channels[0]);
  } else {
    static_assert(
        !requires(T t) { t.z; } || requires(T t) { t.w; }, "no texel has 3 channels");
    T value{};
    value.x = channel_as<decltype(value.x)>(texel.channels[0]);
    if constexpr (requires { value.y; }) value.y = channel_as<decltype(value.y)>(texel.channels[1]);
    if constexpr (requires { value.w; }) {
      value.z = channel_as<decltype(value.z)>(texel.channels[2]);
      value.w = channel_as<decltype(value.w)>(texel.channels[3]);
    }
    return value;
  }
}

}  // namespace td::cudart

template <class T>
TD_SIMT_INLINE T tex1Dfetch(cudaTextureObject_t texture, int index) {
  return td::cudart::texel_as<T>(td::simt::fetch_element(texture, index));
}

/// The functions of a shape: name, then its parameters, then the arguments of fetch().
#define TD_CUDA_TEXTURE(name, shape, parameters, ...)                          \
  template <class T>                                                           \
  TD_SIMT_INLINE T name parameters {                                           \
    return td::cudart::texel_as<T>(                                            \
        td::simt::fetch(texture, td::simt::TextureShape::shape, __VA_ARGS__)); \
  }
TD_CUDA_TEXTURE(tex1D, k1D, (cudaTextureObject_t texture, float x), x)
TD_CUDA_TEXTURE(tex2D, k2D, (cudaTextureObject_t texture, float x, float y), x, y)
TD_CUDA_TEXTURE(tex3D, k3D, (cudaTextureObject_t texture, float x, float y, float z), x, y, z)
TD_CUDA_TEXTURE(tex1DLayered, k1DLayered, (cudaTextureObject_t texture, float x, int layer), x, 0,
                0, layer)
TD_CUDA_TEXTURE(tex2DLayered, k2DLayered,
                (cudaTextureObject_t texture, float x, float y, int layer), x, y, 0, layer)
TD_CUDA_TEXTURE(texCubemap, kCubemap, (cudaTextureObject_t texture, float x, float y, float z), x,
                y, z)
TD_CUDA_TEXTURE(texCubemapLayered, kCubemapLayered,
                (cudaTextureObject_t texture, float x, float y, float z, int layer), x, y, z, layer)
TD_CUDA_TEXTURE(tex1DLod, k1D, (cudaTextureObject_t texture, float x, float), x)
TD_CUDA_TEXTURE(tex2DLod, k2D, (cudaTextureObject_t texture, float x, float y, float), x, y)
TD_CUDA_TEXTURE(tex3DLod, k3D, (cudaTextureObject_t texture, float x, float y, float z, float), x,
                y, z)
#undef TD_CUDA_TEXTURE
