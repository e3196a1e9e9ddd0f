// Page-locked host memory, kept and reused. A device copies from and to it without the host's help,
// so a release must wait for the copies: who queues one calls record_stream. Used through
// pinned_allocator(type).
#pragma once

#include <array>
#include <mutex>
#include <unordered_map>

#include "td/device/allocator.h"
#include "td/device/deferred_release.h"

namespace td {

/// Blocks up to 64 MiB are powers of two, at least 512 bytes; larger ones are rounded to pages
/// only, since the system's memory cannot be doubled for nothing. Never split, so that reuse is
/// simple.
class PinnedAllocator : public Allocator {
 public:
  /// @param type an accelerator kind that has a device.
  explicit PinnedAllocator(DeviceType type);

  void* allocate(std::size_t bytes) override;
  void release(void* block, std::size_t bytes) noexcept override;
  /// @param block any address within it: from_blob may look into pinned memory.
  void record_stream(void* block, const Stream& stream) override;
  MemoryStats stats() const override;
  void reset_peak() override;
  void empty_cache() override;

 private:
  struct Block : Slabbed {
    char* data = nullptr;
    std::size_t bytes = 0;
    int pending = 0;
    StreamUses uses;
  };
  Block* take_kept(std::size_t bytes);
  Block* take_new(std::size_t bytes);
  void free_block(Block* block);
  void return_blocks();
  [[noreturn]] void out_of_memory(std::size_t bytes) const;

  const DeviceType type_;
  Backend& backend_;
  mutable std::mutex mutex_;                  // guards all below
  std::array<std::vector<Block*>, 64> free_;  // by the logarithm of the size
  std::unordered_map<const void*, Block*> live_;
  DeferredRelease<Block> deferred_;
  MemoryStats stats_;
};

/// `stream` uses the pinned block that holds `memory`, whichever kind it is pinned for: its
/// allocator waits for the stream before it gives the block out again. Other memory is left alone.
void record_pinned_stream(void* memory, const Stream& stream);

}  // namespace td
