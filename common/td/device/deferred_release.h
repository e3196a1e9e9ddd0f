// Blocks that other streams still use when they are released. Each such stream gets an event; the
// block is free when all of them were passed. The caching allocators call it under their mutex.
#pragma once

#include <array>
#include <vector>

#include "td/base/error.h"
#include "td/base/slab.h"
#include "td/device/backend.h"

namespace td {

/// A stream that uses a block besides the one the block was allocated for.
struct StreamUse {
  int index;
  void* native;
  friend bool operator==(StreamUse a, StreamUse b) {
    return a.index == b.index && a.native == b.native;
  }
};
using StreamUses = std::vector<StreamUse, SlabAllocator<StreamUse>>;

/// `Block` has a member `int pending`, the events it waits for.
template <class Block>
class DeferredRelease {
 public:
  explicit DeferredRelease(DeviceType type) : backend_(backend(type)) {}

  /// Marks what every stream of `uses` holds now; the block waits for all of it.
  void defer(Block* block, const StreamUses& uses) {
    for (const StreamUse& use : uses) {
      auto& spare = spare_[static_cast<std::size_t>(use.index)];
      void* event = nullptr;
      if (spare.empty()) {
        event = backend_.new_event(use.index, false);
      } else {
        event = spare.back();
        spare.pop_back();
      }
      backend_.record(event, use.index, use.native);
      waiting_.push_back({event, block, use.index});
      ++block->pending;
    }
  }

  /// Calls `free_block` for each block whose events were all passed.
  template <class FreeBlock>
  void poll(FreeBlock free_block) {
    for (std::size_t i = 0; i < waiting_.size();) {
      const Waiting w = waiting_[i];
      if (!backend_.done(w.event)) {
        ++i;
        continue;
      }
      waiting_[i] = waiting_.back();
      waiting_.pop_back();
      spare_[static_cast<std::size_t>(w.index)].push_back(w.event);
      if (--w.block->pending == 0) free_block(w.block);
    }
  }

  /// Blocks the host until every event was passed. Errors of streams stay theirs to report.
  void wait_all() {
    for (const Waiting& w : waiting_) {
      try {
        backend_.synchronize_event(w.event);
      } catch (const Error&) {
      }
    }
  }

 private:
  struct Waiting {
    void* event;
    Block* block;
    int index;
  };
  Backend& backend_;
  std::vector<Waiting> waiting_;
  std::array<std::vector<void*>, kMaxDevices> spare_;  // events for the next time, by device
};

}  // namespace td
