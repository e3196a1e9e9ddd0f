// Which bytes of the memory of devices were written since cudaMalloc gave them, for --check.
// Copies, sets and cuBLAS mark them, and kernels under observation. Invariant: has a lock of its
// own, and is empty without --check.
#pragma once

#include <cstddef>
#include <cstdint>

namespace td::cudart::written {

/// A block begins to exist, with no byte written, and ends.
///@{
void begin_block(const void* data, std::size_t bytes);
void end_block(const void* data);
///@}
void mark(const void* data, std::size_t bytes);
/// Whether all the bytes were written, or belong to no block.
bool has(const void* data, std::size_t bytes);

}  // namespace td::cudart::written
