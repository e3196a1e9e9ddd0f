// Blocks that other streams still use when they are released. Each such stream gets an event; the
// block is free when all of them were passed. The caching allocators call it under their mutex.
#pragma once

#include <array>
#include <deque>
#include <utility>
#include <vector>

#include "td/base/error.h"
#include "td/base/host_memory.h"
#include "td/device/backend.h"
#include "td/device/capture.h"

namespace td {

/// A stream that uses a block besides the one the block was allocated for.
struct StreamUse {
  DeviceType type;  ///< pinned memory may be used by streams of several kinds
  int index;        ///< of the device
  void* native;     ///< of the stream
  friend bool operator==(StreamUse a, StreamUse b) {
    return a.type == b.type && a.index == b.index && a.native == b.native;
  }
};
/// Streams that use a block.
using StreamUses = std::vector<StreamUse, SlabAllocator<StreamUse>>;

/// `Block` has a member `int pending`, the events it waits for.
template <class Block>
class DeferredRelease {
 public:
  /// Marks what every stream of `uses` holds now; the block waits for all of it. While a graph is
  /// captured the marks are made at the first poll after it, which is late enough.
  void defer(Block* block, const StreamUses& uses) noexcept {
    for (const StreamUse& use : uses) {
      ++block->pending;
      try {
        std::deque<Waiting>& waiting = waiting_for(use);
        void* const event = captures_underway == 0 ? mark(use) : nullptr;
        waiting.push_back({event, block});
        unmarked_ |= !event;
      } catch (const std::exception&) {
        // The device is past repair. The block is never reused, which is safe, and `pending` says
        // so.
      }
    }
  }

  /// Calls `free_block` for each block whose events were all passed. Asks each stream only after
  /// its oldest event: the others come later. @throws AsyncError, DeviceError from Backend::done.
  template <class FreeBlock>
  void poll(FreeBlock free_block) {
    if (captures_underway > 0) return;
    mark_all();
    for (auto& [use, waiting] : streams_) {
      while (!waiting.empty()) {
        const Waiting oldest = waiting.front();
        if (!oldest.event || !backend(use.type).done(oldest.event)) break;
        waiting.pop_front();
        spare(use).push_back(oldest.event);
        if (--oldest.block->pending == 0) free_block(oldest.block);
      }
    }
  }

  /// Blocks the host until every event was passed. Errors of streams stay theirs to report.
  void wait_all() {
    if (captures_underway > 0) return;
    mark_all();
    for (auto& [use, waiting] : streams_) {
      try {
        if (!waiting.empty() && waiting.back().event)
          backend(use.type).synchronize_event(waiting.back().event);
      } catch (const Error&) {
      }
    }
  }

  /// Calls `f` for the blocks that wait.
  template <class F>
  void visit(F f) {
    for (auto& stream : streams_)
      for (const Waiting& w : stream.second) f(w.block);
  }

 private:
  struct Waiting {
    void* event;  ///< nullptr until the mark is made
    Block* block;
  };

  std::deque<Waiting>& waiting_for(const StreamUse& use) {
    for (auto& [stream, waiting] : streams_)
      if (stream == use) return waiting;
    return streams_.emplace_back(use, std::deque<Waiting>()).second;
  }
  /// An event behind what the stream holds now.
  void* mark(const StreamUse& use) {
    void* const event = take_event(use);
    backend(use.type).record(event, use.index, use.native);
    return event;
  }
  void mark_all() noexcept {
    if (!std::exchange(unmarked_, false)) return;
    for (auto& [use, waiting] : streams_) {
      for (Waiting& w : waiting) {
        try {
          if (!w.event) w.event = mark(use);
        } catch (const std::exception&) {  // until then the block is not reused
          unmarked_ = true;
        }
      }
    }
  }
  std::vector<void*>& spare(const StreamUse& use) {
    return spare_[static_cast<std::size_t>(use.type)][static_cast<std::size_t>(use.index)];
  }
  void* take_event(const StreamUse& use) {
    if (spare(use).empty()) return backend(use.type).new_event(use.index, false);
    void* event = spare(use).back();
    spare(use).pop_back();
    return event;
  }

  /// What waits, by stream, in the order of the events.
  std::vector<std::pair<StreamUse, std::deque<Waiting>>> streams_;
  bool unmarked_ = false;  ///< some have no event yet
  // Events for the next time, by device.
  std::array<std::array<std::vector<void*>, kMaxDevices>, kDeviceTypes> spare_;
};

}  // namespace td
