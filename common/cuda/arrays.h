// Arrays: memory of the device that textures and surfaces read. Made by arrays.cpp, read by
// textures.cpp.
//
// Invariant: a handle is the address of such an object, which State::arrays holds until
// cudaFreeArray.
#pragma once

#include "cuda/copies.h"
#include "cuda/state.h"

/// An array. Its texels lie one after another, by rows and planes (layers, faces).
struct cudaArray {
  char* data;
  cudaChannelFormatDesc channels;
  cudaExtent extent;  ///< as the program gave it: 0 where there is no such dimension
  unsigned flags;

  std::size_t texel_bytes() const {
    return static_cast<std::size_t>(channels.x + channels.y + channels.z + channels.w) / 8;
  }
  std::size_t pitch() const { return extent.width * texel_bytes(); }
  std::size_t rows() const { return extent.height ? extent.height : 1; }
  std::size_t planes() const { return extent.depth ? extent.depth : 1; }
};

namespace td::cudart {

/// Whether the runtime can read such texels: 1, 2 or 4 channels of 8, 16 or 32 bits.
bool is_valid(const cudaChannelFormatDesc& channels);

/// The part of an array that begins at a position, whose x counts bytes.
/// @return an error, after a report, where the box is not in the array.
cudaError_t side_of(const State& all, const Call& call, const cudaArray* array, const cudaPos& at,
                    const Box& box, Side& side);

}  // namespace td::cudart
