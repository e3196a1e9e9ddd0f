// Copies of sim. A device has one copy engine per direction of the link; an engine does one copy at
// a time, concurrently with kernels of other streams. The backend calls these with addresses of the
// kernel view.
//
// Pinned host memory is copied by the stream's thread, and the call returns immediately. Pageable
// memory could be freed or swapped, so the host thread itself copies it through a bounce buffer and
// blocks: chapter 08 shows this difference.
#pragma once

#include <cstddef>
#include <mutex>

#include "sim/stream_queue.h"

namespace td::sim {

/// Does one transfer at a time.
struct Engine {
  int number;               ///< among the engines of a device
  const char* direction;    ///< as traces have it: HtoD, DtoH, PtoP
  std::mutex mutex{};       ///< held for the time a transfer takes
  std::uint32_t track = 0;  ///< of traces; the mutex guards it
};

/// Host to device. Returns when a pageable source has been read.
void copy_to_device(StreamQueue& queue, Engine& engine, void* to, const void* from,
                    std::size_t bytes, bool pinned);
/// Device to host. Returns when a pageable target has been written. @throws AsyncError then, when
/// the stream has failed.
void copy_from_device(StreamQueue& queue, Engine& engine, void* to, const void* from,
                      std::size_t bytes, bool pinned);
/// Device to device: within one device without an engine, which takes what memcpy takes.
void copy_on_devices(StreamQueue& queue, Engine* engine, void* to, const void* from,
                     std::size_t bytes);

}  // namespace td::sim
