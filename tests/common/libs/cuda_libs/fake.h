// The GPU's memory for tests of the wrappers (libs/cuda). This program compiles the
// wrappers and the doubles of cuBLAS and cuDNN (tests/support/cuda_stand_in/doubles) itself, and
// has its own small runtime below the doubles: products run at once in host memory, and
// convolutions are only logged, because their tensors are addresses without memory. Used by one
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "doubles/libs.h"
#include "libs/cuda/stream_state.h"

namespace fake {

/// What the tests set, and what was called since `reset`.
struct World {
  int compute_capability = 90;
  std::size_t room = SIZE_MAX;  ///< requests for more are refused
  std::uintptr_t pool = 1;      ///< blocks come from [pool << 40, (pool + 1) << 40)
  std::map<void*, std::size_t> live;
  std::map<std::string, int> calls;  ///< of the libraries' functions
};

World& world();
/// Starts again; a test's streams are its own, because the wrappers keep their handles.
void reset();
/// A stream that no test had before.
td::cuda::Where new_stream();
/// The memory at which a pool begins; pools 1 and 2 hold blocks, the others nothing.
inline void* pool_begin(std::uintptr_t pool) { return reinterpret_cast<void*>(pool << 40); }

}  // namespace fake
