// What no backend gets to see: the host working on its own memory, and blocks going back to a
// cache. launch.h, item() and the caching allocators tell; sim's race finder listens. Invariant:
// null costs one load and a comparison.
#pragma once

#include <atomic>
#include <cstddef>

#include "td/device/deferred_release.h"
#include "td/device/record.h"

namespace td {

/// Listens to accesses. Called by any thread, also under an allocator's mutex.
class AccessObserver {
 public:
  virtual ~AccessObserver() = default;
  /// The host itself reads and writes memory, now.
  virtual void on_host(const Record& record) = 0;
  /// A cache takes `block` back. It hands it out again on the stream of `owner` at once (nullptr:
  /// to anybody), but not before the streams of `uses` have done what they hold now.
  virtual void released(const Extent& block, const StreamUse* owner,
                        const StreamUses& uses) noexcept = 0;
};

/// Null while nobody listens; what it once pointed at stays alive.
inline std::atomic<AccessObserver*> access_observer{nullptr};

/// The listener, or null.
inline AccessObserver* listening_to_accesses() {
  return access_observer.load(std::memory_order_acquire);
}

/// Writes to `text` (at most `room` bytes, no end mark) what the block at `block` belongs to, and
/// returns the length; 0 when it does not know.
using BlockDescriber = std::size_t (*)(const void* block, char* text, std::size_t room);

/// Null while nobody can tell.
inline std::atomic<BlockDescriber> block_describer{nullptr};

}  // namespace td
