// The calls that make and destroy texture and surface objects; simt/textures.h keeps them.
// Invariant: an object whose memory the runtime does not know is not made.
#include "simt/textures.h"

#include <algorithm>

#include "cuda/arrays.h"
#include "cuda/report.h"

namespace td::cudart {
namespace {

using simt::TextureShape;

TextureShape shape_of(const cudaArray& array) {
  const bool is_layered = array.flags & cudaArrayLayered;
  if (array.flags & cudaArrayCubemap)
    return is_layered ? TextureShape::kCubemapLayered : TextureShape::kCubemap;
  if (is_layered) return array.extent.height ? TextureShape::k2DLayered : TextureShape::k1DLayered;
  if (array.extent.depth) return TextureShape::k3D;
  return array.extent.height ? TextureShape::k2D : TextureShape::k1D;
}

cudaError_t set_channels(const cudaChannelFormatDesc& channels, simt::Texture& t) {
  if (!is_valid(channels)) return cudaErrorInvalidChannelDescriptor;
  t.channel_bits = static_cast<unsigned>(channels.x);
  t.channels =
      static_cast<unsigned>((channels.x + channels.y + channels.z + channels.w) / channels.x);
  t.kind = static_cast<simt::ChannelKind>(channels.f);
  return cudaSuccess;
}

cudaError_t set_array(const State& all, const cudaArray* array, simt::Texture& t) {
  if (!all.arrays.count(array)) return cudaErrorInvalidResourceHandle;
  t.shape = shape_of(*array);
  t.data = array->data;
  t.pitch = array->pitch();
  t.plane = array->pitch() * array->rows();
  t.width = static_cast<unsigned>(array->extent.width);
  t.height = static_cast<unsigned>(array->rows());
  t.depth = static_cast<unsigned>(array->planes());
  return set_channels(array->channels, t);
}

/// Memory of cudaMalloc and its kin. @param bytes that the object can read
cudaError_t set_memory(const State& all, const Call& call, void* data, std::size_t bytes,
                       const cudaChannelFormatDesc& channels, simt::Texture& t) {
  constexpr std::uintptr_t kAlignment = 512;
  const Found found = find_memory(all, data, bytes);
  if (!found.block || found.is_beyond) {
    report(call.caller,
           std::string(call.name) + " is given " + std::to_string(bytes) + " bytes of memory, " +
               (found.block ? "and it has fewer" : "which is no memory of the device"));
    return cudaErrorInvalidValue;
  }
  if (reinterpret_cast<std::uintptr_t>(data) % kAlignment != 0) return cudaErrorInvalidValue;
  t.data = static_cast<char*>(data);
  return set_channels(channels, t);
}

cudaError_t set_resource(const State& all, const Call& call, const cudaResourceDesc& resource,
                         simt::Texture& t) {
  const auto& linear = resource.res.linear;
  const auto& rows = resource.res.pitch2D;
  t.height = t.depth = 1;
  switch (resource.resType) {
    case cudaResourceTypeArray:
      return set_array(all, resource.res.array.array, t);
    case cudaResourceTypeLinear: {
      const cudaError_t error =
          set_memory(all, call, linear.devPtr, linear.sizeInBytes, linear.desc, t);
      if (!error) t.width = static_cast<unsigned>(linear.sizeInBytes / t.texel_bytes());
      return error;
    }
    case cudaResourceTypePitch2D: {
      constexpr std::size_t kPitchAlignment = 32;
      if (rows.width == 0 || rows.height == 0 || rows.pitchInBytes % kPitchAlignment != 0)
        return cudaErrorInvalidValue;
      t.shape = TextureShape::k2D;
      t.pitch = rows.pitchInBytes;
      t.width = static_cast<unsigned>(rows.width);
      t.height = static_cast<unsigned>(rows.height);
      const auto row =
          static_cast<std::size_t>(rows.desc.x + rows.desc.y + rows.desc.z + rows.desc.w) / 8 *
          rows.width;
      if (row > t.pitch) return cudaErrorInvalidPitchValue;
      return set_memory(all, call, rows.devPtr, (rows.height - 1) * t.pitch + row, rows.desc, t);
    }
  }
  return cudaErrorInvalidValue;
}

/// How a texture is read. Its memory is set before.
cudaError_t set_reading(const Call& call, const cudaTextureDesc& how, simt::Texture& t) {
  if (how.sRGB || how.seamlessCubemap) return not_supported(call, " with sRGB or seamlessCubemap");
  const bool is_cubemap =
      t.shape == TextureShape::kCubemap || t.shape == TextureShape::kCubemapLayered;
  const bool is_float = t.kind == simt::ChannelKind::kFloat;
  t.has_unit_extents = how.normalizedCoords || is_cubemap;
  t.normalizes = how.readMode == cudaReadModeNormalizedFloat && !is_float;
  t.is_linear = how.filterMode == cudaFilterModeLinear && t.shape != TextureShape::kElements;
  if (t.normalizes && t.channel_bits == 32) return cudaErrorInvalidNormSetting;
  if (t.is_linear && !is_float && !t.normalizes) {
    report(call.caller, std::string(call.name) +
                            ": cudaFilterModeLinear needs floats: set readMode to "
                            "cudaReadModeNormalizedFloat, or filterMode to cudaFilterModePoint");
    return cudaErrorInvalidFilterSetting;
  }
  for (int axis = 0; axis < 3; ++axis) {
    const cudaTextureAddressMode mode = how.addressMode[axis];
    const bool repeats = mode == cudaAddressModeWrap || mode == cudaAddressModeMirror;
    // Repeating needs normalized coordinates.
    t.address[axis] = is_cubemap || (repeats && !t.has_unit_extents)
                          ? simt::AddressMode::kClamp
                          : static_cast<simt::AddressMode>(mode);
  }
  std::copy(std::begin(how.borderColor), std::end(how.borderColor), t.border);
  return cudaSuccess;
}

cudaError_t keep(const simt::Texture& t, unsigned long long* object) {
  *object = simt::add_texture(t);
  return *object ? cudaSuccess : cudaErrorMemoryAllocation;
}

/// Waits for the device, because its kernels may use the object.
cudaError_t destroy(const Call& call, unsigned long long object) {
  return run_call(call, [&](State& all, Lock& lock) {
    wait_for_device(all, thread.device, lock);
    return simt::remove_texture(object) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

}  // namespace
}  // namespace td::cudart

using namespace td::cudart;

extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* how, const cudaResourceViewDesc* view) {
  const Call own{"cudaCreateTextureObject", TD_CUDA_CALLER};
  return run_call(own, [&](State& all, Lock&) -> cudaError_t {
    if (!texture || !resource || !how) return cudaErrorInvalidValue;
    if (view) return not_supported(own, " with a view of the resource");
    td::simt::Texture made;
    if (const cudaError_t error = set_resource(all, own, *resource, made)) return error;
    if (const cudaError_t error = set_reading(own, *how, made)) return error;
    return keep(made, texture);
  });
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
  return destroy({"cudaDestroyTextureObject", TD_CUDA_CALLER}, texture);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface,
                                    const cudaResourceDesc* resource) {
  return run_call({"cudaCreateSurfaceObject", TD_CUDA_CALLER}, [&](State& all, Lock&) {
    if (!surface || !resource || resource->resType != cudaResourceTypeArray)
      return cudaErrorInvalidValue;
    const cudaArray* const array = resource->res.array.array;
    td::simt::Texture made;
    made.is_surface = true;
    if (const cudaError_t error = set_array(all, array, made)) return error;
    if (!(array->flags & cudaArraySurfaceLoadStore)) return cudaErrorInvalidValue;
    return keep(made, surface);
  });
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
  return destroy({"cudaDestroySurfaceObject", TD_CUDA_CALLER}, surface);
}

}  // extern "C"
