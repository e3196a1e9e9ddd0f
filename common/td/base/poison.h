// Marks memory that a cache keeps, so that AddressSanitizer reports a use of a released block as it
// does for the heap. Does nothing in other builds.
#pragma once

#include <cstddef>

#if defined(TD_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

namespace td {

/// Bytes [keep, bytes) of the block may not be touched from now on.
inline void poison_after([[maybe_unused]] void* block, [[maybe_unused]] std::size_t keep,
                         [[maybe_unused]] std::size_t bytes) {
#if defined(TD_ADDRESS_SANITIZER)
  __asan_poison_memory_region(static_cast<char*>(block) + keep, bytes - keep);
#endif
}

/// The first `bytes` of the block may be touched again.
inline void unpoison([[maybe_unused]] void* block, [[maybe_unused]] std::size_t bytes) {
#if defined(TD_ADDRESS_SANITIZER)
  __asan_unpoison_memory_region(block, bytes);
#endif
}

}  // namespace td
