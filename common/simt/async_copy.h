// Copies that happen later, and the barrier of a grid. Included by the headers of cooperative
// groups and pipelines.
#pragma once

#include <cstddef>

#include "simt/device_calls.h"

namespace td::simt {

/// Copies when the thread waits for it, as late as a GPU may: 4, 8 or 16 bytes, the last `zeros` of
/// them as zeros. A thread's copies since its last call of async_commit are a batch.
TD_SIMT_OWN_PLACE void async_copy(void* to, const void* from, std::size_t bytes,
                                  std::size_t zeros = 0);
void async_commit();
/// Waits for all but the last `left` batches of the thread.
TD_SIMT_OWN_PLACE void async_wait(std::size_t left);

/// Copies with all threads of a group, in the largest pieces that fit.
template <class Group>
TD_SIMT_INLINE void share_copy(const Group& group, void* to, const void* from, std::size_t bytes) {
  const std::size_t bits =
      reinterpret_cast<std::size_t>(to) | reinterpret_cast<std::size_t>(from) | bytes | 16;
  const std::size_t piece = bits & -bits;
  for (std::size_t i = group.thread_rank() * piece; i < bytes; i += group.size() * piece)
    async_copy(static_cast<char*>(to) + i, static_cast<const char*>(from) + i, piece);
}

/// Whether the launch is cooperative.
bool is_cooperative();
/// Waits for all threads of the launch.
TD_SIMT_OWN_PLACE void grid_barrier();
/// Lets other threads of the block run, for which the caller waits.
TD_SIMT_OWN_PLACE void wait_for_others();

}  // namespace td::simt

// <cuda_pipeline.h>
TD_SIMT_INLINE void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes,
                                            std::size_t zeros = 0) {
  if ((bytes != 4 && bytes != 8 && bytes != 16) || zeros > bytes)
    td::simt::trap("__pipeline_memcpy_async with a size other than 4, 8 and 16");
  td::simt::async_copy(to, from, bytes, zeros);
}
TD_SIMT_INLINE void __pipeline_commit() { td::simt::async_commit(); }
TD_SIMT_INLINE void __pipeline_wait_prior(std::size_t left) { td::simt::async_wait(left); }
