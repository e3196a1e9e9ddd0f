// What every copy is made of: rows of rows. Used by copies.cpp and, for arrays, arrays.cpp.
//
// Invariant: a side is memory of the program's address space, also of an array.
#pragma once

#include "cuda/state.h"

namespace td::cudart {

/// Rows of rows: where one side is, and how far apart its rows and its planes are, in bytes.
struct Side {
  char* data;
  std::size_t pitch, plane;
};
/// Width in bytes, height in rows, depth in planes.
struct Box {
  std::size_t width, height = 1, depth = 1;
  bool is_empty() const { return width == 0 || height == 0 || depth == 0; }
};

Side side_of(const void* data, std::size_t pitch = 0, std::size_t plane = 0);

/// Checks and queues a copy. A copy of pageable memory reads it at once, or waits until it is
/// written.
cudaError_t copy(const Call& call, const Side& to, const Side& from, const Box& box,
                 cudaMemcpyKind kind, bool waits, cudaStream_t stream);

/// The sides of a 3D copy, of which each may be an array.
struct Sides3D {
  Side to{}, from{};
  Box box{0};
};
/// @return an error, after a report, where a position or the extent is outside of an array.
cudaError_t sides_of(const State& all, const Call& call, const cudaMemcpy3DParms& copy,
                     Sides3D& sides);

}  // namespace td::cudart
