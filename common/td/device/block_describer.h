// How a device that finds a stray touch of its memory learns whose memory it was. The layer above
// knows tensors and sets the function; sim's fault report calls it.
// Invariant: the function runs inside a signal handler, so it takes no heap and waits for no lock.
#pragma once

#include <atomic>
#include <cstddef>

namespace td {

/// Writes to `text` (at most `room` bytes, no end mark) what the block at `block` belongs to, and
/// returns the length; 0 when it does not know.
using BlockDescriber = std::size_t (*)(const void* block, char* text, std::size_t room);

/// Null while nobody can tell.
inline std::atomic<BlockDescriber> block_describer{nullptr};

}  // namespace td
