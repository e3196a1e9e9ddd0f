// The part of caching_allocator.h that waits for streams. A block that other streams use at its
// release gets one event for each of these streams. While a graph is captured no event is recorded,
// because a captured stream would take it into the graph: the events are recorded at the first poll
// after the capture, which is late enough.
#include <algorithm>
#include <utility>

#include "td/base/error.h"
#include "td/device/caching_allocator.h"
#include "td/device/graph.h"

namespace td {

bool CachingAllocator::may_wait_for_streams() { return captures_underway == 0; }

/// Makes the block wait for the work that every stream that uses it holds now.
void CachingAllocator::wait_for_uses(Block* block) noexcept {
  for (const StreamUse& use : block->uses) {
    ++block->pending;
    try {
      auto stream = std::find_if(streams_.begin(), streams_.end(),
                                 [&](const UsingStream& s) { return s.use == use; });
      if (stream == streams_.end()) stream = streams_.insert(stream, UsingStream{use, {}, {}});
      NativeEvent* const event = may_wait_for_streams() ? record_event(*stream) : nullptr;
      stream->waiting.push_back({event, block});
      events_missing_ |= !event;
    } catch (const std::exception&) {
      // The device cannot be used any more. The block still counts this event as pending, so it is
      // never reused, which is safe.
    }
  }
  block->uses.clear();
}

/// Records an event after the work that the stream holds now.
NativeEvent* CachingAllocator::record_event(UsingStream& stream) {
  const auto& [type, index, native] = stream.use;
  if (stream.events.empty()) stream.events.push_back(backend(type).new_event(index, false));
  NativeEvent* const event = stream.events.back();
  backend(type).record(event, index, native);
  stream.events.pop_back();
  return event;
}

void CachingAllocator::record_missing_events() noexcept {
  if (!std::exchange(events_missing_, false)) return;
  for (UsingStream& stream : streams_) {
    for (Waiting& waiting : stream.waiting) {
      try {
        if (!waiting.event) waiting.event = record_event(stream);
      } catch (const std::exception&) {  // the block is not reused until a later try
        events_missing_ = true;
      }
    }
  }
}

/// Frees the blocks whose events have all passed. It queries only the oldest event of each stream:
/// the others come later. @throws AsyncError, DeviceError from Backend::done.
void CachingAllocator::poll() {
  if (!may_wait_for_streams()) return;
  record_missing_events();
  for (UsingStream& stream : streams_) {
    while (!stream.waiting.empty()) {
      const auto [event, block] = stream.waiting.front();
      if (!event || !backend(stream.use.type).done(event)) break;
      stream.waiting.pop_front();
      stream.events.push_back(event);
      if (--block->pending == 0) free_block(block);
    }
  }
}

/// Blocks the host until every event has passed, and frees the blocks.
void CachingAllocator::wait_for_streams() {
  if (!may_wait_for_streams()) return;
  record_missing_events();
  for (UsingStream& stream : streams_) {
    try {
      if (!stream.waiting.empty() && stream.waiting.back().event)
        backend(stream.use.type).synchronize_event(stream.waiting.back().event);
    } catch (const Error&) {  // the stream reports it to the program
    }
  }
  poll();
}

}  // namespace td
