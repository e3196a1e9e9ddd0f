// What the files of this folder that call the CUDA runtime share: errors as exceptions, and
// handles.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "td/backends/cuda/cuda.h"

namespace td::cuda {

/// @throws what throw_error makes of the error: "<doing> on cuda:<index>: ...".
inline void check(cudaError_t error, const char* doing, int index) {
  if (error != cudaSuccess) [[unlikely]]
    throw_error(std::string(doing) + " on cuda:" + std::to_string(index), error);
}

inline cudaStream_t stream_of(void* native) { return static_cast<cudaStream_t>(native); }

}  // namespace td::cuda
