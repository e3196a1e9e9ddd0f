// Copies from, to and between GPUs, for backend.cpp. Includes nothing of CUDA.
#pragma once

#include <cstddef>

#include "td/device/device.h"

namespace td::cuda {

/// Queues a copy on a stream of cuda:`index`, as Backend::copy; `bytes` is not 0.
/// @return whether the host must wait for the stream now: its side is pageable memory, which may be
/// read or written later.
[[nodiscard]] bool queue_copy(void* to, Device to_device, const void* from, Device from_device,
                              std::size_t bytes, int index, void* stream);

}  // namespace td::cuda
