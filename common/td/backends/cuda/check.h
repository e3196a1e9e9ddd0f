// What the files of this folder that call the CUDA runtime share: errors as exceptions, handles,
// and copies.
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

/// Whether a call succeeded, for calls whose error is an expected answer. Clears the error, which
/// the next call would otherwise report again.
inline bool succeeded(cudaError_t error) {
  if (error != cudaSuccess) cudaGetLastError();
  return error == cudaSuccess;
}

inline cudaStream_t stream_of(NativeStream* native) {
  return reinterpret_cast<cudaStream_t>(native);
}

/// Queues a copy on a stream of cuda:`index`, as Backend::copy; `bytes` is not 0. Each copy is one
/// call of the CUDA runtime, which finds out from the addresses where each side is.
/// @return whether the host must synchronize the stream now, because its side is pageable memory,
/// which may be read or written later.
[[nodiscard]] bool queue_copy(void* to, Device to_device, const void* from, Device from_device,
                              std::size_t bytes, int index, NativeStream* stream);

}  // namespace td::cuda
