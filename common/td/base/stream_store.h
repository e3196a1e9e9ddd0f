// Writing large results past the caches. A normal store first reads the line it writes to, and
// evicts data from the cache that will be used sooner. kernels/pointwise.h uses it.
// Invariant: finish_stream_stores() runs before another thread may read what was written.
#pragma once

#include <cstddef>

namespace td {

/// Results of at least this many bytes are written past the caches, which could not keep them.
constexpr std::size_t kStreamBytes = std::size_t{32} << 20;

/// Copies as memcpy does; the caches do not keep `to`.
void stream_store(void* to, const void* from, std::size_t bytes) noexcept;
/// Makes this thread's stream_stores visible in order with its later writes.
void finish_stream_stores() noexcept;

}  // namespace td
