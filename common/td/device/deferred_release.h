// Blocks that other streams still use when they are released. Each such stream gets an event; the
// block is free when all of them were passed. The caching allocators call it under their mutex.
#pragma once

#include <array>
#include <vector>

#include "td/base/error.h"
#include "td/base/slab.h"
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
        waiting_.push_back({nullptr, block, use});
        if (captures_underway == 0)
          mark(waiting_.back());
        else
          ++unmarked_;
      } catch (const std::exception&) {
        // The device is past repair. The block is never reused, which is safe, and `pending` says
        // so.
        if (!waiting_.empty() && waiting_.back().block == block) waiting_.pop_back();
      }
    }
  }

  /// Calls `free_block` for each block whose events were all passed.
  template <class FreeBlock>
  void poll(FreeBlock free_block) {
    if (captures_underway > 0) return;
    if (unmarked_ > 0) mark_all();
    for (std::size_t i = 0; i < waiting_.size();) {
      const Waiting w = waiting_[i];
      if (!w.event || !backend(w.use.type).done(w.event)) {
        ++i;
        continue;
      }
      waiting_[i] = waiting_.back();
      waiting_.pop_back();
      spare(w.use).push_back(w.event);
      if (--w.block->pending == 0) free_block(w.block);
    }
  }

  /// Blocks the host until every event was passed. Errors of streams stay theirs to report.
  void wait_all() {
    if (captures_underway > 0) return;
    mark_all();
    for (const Waiting& w : waiting_) {
      try {
        if (w.event) backend(w.use.type).synchronize_event(w.event);
      } catch (const Error&) {
      }
    }
  }

  /// Calls `f` for the blocks that wait.
  template <class F>
  void visit(F f) {
    for (const Waiting& w : waiting_) f(w.block);
  }

 private:
  struct Waiting {
    void* event;  ///< nullptr until the mark is made
    Block* block;
    StreamUse use;
  };

  void mark(Waiting& w) {
    void* event = take_event(w.use);
    backend(w.use.type).record(event, w.use.index, w.use.native);
    w.event = event;
  }
  void mark_all() noexcept {
    unmarked_ = 0;
    for (Waiting& w : waiting_) {
      try {
        if (!w.event) mark(w);
      } catch (const std::exception&) {  // past repair; without an event the block is never reused
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

  std::vector<Waiting> waiting_;
  std::size_t unmarked_ = 0;
  // Events for the next time, by device.
  std::array<std::array<std::vector<void*>, kMaxDevices>, kDeviceTypes> spare_;
};

}  // namespace td
