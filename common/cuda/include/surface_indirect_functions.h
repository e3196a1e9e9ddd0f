// The functions that read and write surface objects in kernels; x counts bytes. Included by
// cuda_runtime.h. The access itself is the kernel's, so that the observers see it.
//
// Invariant: as in texture_indirect_functions.h.
#pragma once

#include "simt/textures.h"
#include "texture_types.h"

/// The three functions of a shape: its coordinates as parameters, then as x, y and z.
#define TD_CUDA_SURFACE(name, shape, parameters, x, y, z)                                     \
  template <class T>                                                                          \
  TD_SIMT_INLINE void name##read(T* value, TD_CUDA_SURFACE_##parameters) {                    \
    const void* const at =                                                                    \
        td::simt::surface_address(surface, td::simt::TextureShape::shape, x, y, z, sizeof(T), \
                                  static_cast<td::simt::BoundaryMode>(mode));                 \
    *value = at ? *static_cast<const T*>(at) : T{};                                           \
  }                                                                                           \
  template <class T>                                                                          \
  TD_SIMT_INLINE T name##read(TD_CUDA_SURFACE_##parameters) {                                 \
    const void* const at =                                                                    \
        td::simt::surface_address(surface, td::simt::TextureShape::shape, x, y, z, sizeof(T), \
                                  static_cast<td::simt::BoundaryMode>(mode));                 \
    return at ? *static_cast<const T*>(at) : T{};                                             \
  }                                                                                           \
  template <class T>                                                                          \
  TD_SIMT_INLINE void name##write(T value, TD_CUDA_SURFACE_##parameters) {                    \
    void* const at =                                                                          \
        td::simt::surface_address(surface, td::simt::TextureShape::shape, x, y, z, sizeof(T), \
                                  static_cast<td::simt::BoundaryMode>(mode));                 \
    if (at) *static_cast<T*>(at) = value;                                                     \
  }
#define TD_CUDA_SURFACE_1D \
  cudaSurfaceObject_t surface, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap
#define TD_CUDA_SURFACE_2D \
  cudaSurfaceObject_t surface, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap
#define TD_CUDA_SURFACE_3D                          \
  cudaSurfaceObject_t surface, int x, int y, int z, \
      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap
TD_CUDA_SURFACE(surf1D, k1D, 1D, x, 0, 0)
TD_CUDA_SURFACE(surf2D, k2D, 2D, x, y, 0)
TD_CUDA_SURFACE(surf3D, k3D, 3D, x, y, z)
TD_CUDA_SURFACE(surf1DLayered, k1DLayered, 2D, x, 0, y)
TD_CUDA_SURFACE(surf2DLayered, k2DLayered, 3D, x, y, z)
TD_CUDA_SURFACE(surfCubemap, kCubemap, 3D, x, y, z)
#undef TD_CUDA_SURFACE_3D
#undef TD_CUDA_SURFACE_2D
#undef TD_CUDA_SURFACE_1D
#undef TD_CUDA_SURFACE
