// Copies of sim. Over the link they go through copy engines: a device has one for each direction,
// and an engine does one copy at a time, while kernels of other streams go on. The backend calls
// these with addresses of the kernel view.
//
// Pinned host memory is copied by the stream's thread; the call returns at once. Pageable memory
// could go away or be swapped, so the host itself copies it through a buffer and is kept busy: that
// difference is what chapter 08 shows.
#pragma once

#include <cstddef>
#include <mutex>

#include "sim/queue.h"

namespace td::sim {

/// Does one transfer at a time.
struct Engine {
  int number;             ///< among the engines of a device
  const char* direction;  ///< as traces have it: HtoD, DtoH, PtoP
  std::mutex mutex{};     ///< held for the time a transfer takes
  std::uint32_t row = 0;  ///< of traces; the mutex guards it
};

/// Host to device. Returns when a pageable source has been read.
void copy_to_device(Queue& queue, Engine& engine, void* to, const void* from, std::size_t bytes,
                    bool pinned);
/// Device to host. Returns when a pageable target has been written. @throws AsyncError then, when
/// the stream has failed.
void copy_from_device(Queue& queue, Engine& engine, void* to, const void* from, std::size_t bytes,
                      bool pinned);
/// Device to device: within one device without an engine, which takes what memcpy takes.
void copy_on_devices(Queue& queue, Engine* engine, void* to, const void* from, std::size_t bytes);

}  // namespace td::sim
