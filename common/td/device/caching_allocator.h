// Device memory, kept and reused: the scheme of PyTorch's CUDA caching allocator. Used for sim and
// cuda through allocator(device).
//
// Why it exists. Asking a device for memory is slow (cudaMalloc takes microseconds to milliseconds
// and waits for the device), and a training step asks hundreds of times. So memory is taken in
// large *segments* and cut into *blocks*; a released block stays here for the next tensor.
//
// Why no waiting is needed. The host runs ahead of the device: when it releases a tensor, kernels
// that use it may still be queued. The block may go to the next tensor of the *same stream* at
// once, because that tensor's kernels queue behind. Another stream has no such order, so every
// block belongs to the stream it was allocated for. Who uses a block on a second stream says so
// (record_stream); on release an event marks that stream, and the block waits for the event.
//
// Sizes. Requests round up to 512 bytes. Up to 1 MiB they come from segments of 2 MiB, below
// 10 MiB from segments of 20 MiB, above that from a segment of their own, rounded to 2 MiB. The
// smallest free block that fits is taken and the rest split off; on release a block joins free
// neighbours again. Only whole free segments can go back to the device: memory that is "cached but
// in pieces" is the price, and the out-of-memory text tells how much that is.
//
// TD_NO_CACHING=1 switches all of this off, for tools that look for wrong accesses: between the
// blocks of one segment compute-sanitizer sees no border. Every block is then an allocation of the
// device's own, of exactly the bytes that were asked for, and is given back when it is released,
// for which the device finishes its work first: slow, and the host no longer runs ahead, but the
// results are the same.
//
// Graphs. A replay uses the addresses of its capture, so what a thread takes while it captures
// comes from whole segments that are its *pool*. Released blocks serve that capture alone, until
// the graph gives its pool up.
#pragma once

#include <functional>
#include <mutex>
#include <set>
#include <unordered_map>

#include "td/device/allocator.h"
#include "td/device/deferred_release.h"

namespace td {

/// The allocator of one sim or cuda device.
class CachingAllocator : public Allocator {
 public:
  /// @param device a sim or cuda device with its index.
  explicit CachingAllocator(Device device);

  void* allocate(std::size_t bytes) override;
  void release(void* block, std::size_t bytes) noexcept override;
  void record_stream(void* block, const Stream& stream) override;
  MemoryStats stats() const override;
  void reset_peak() override;
  void empty_cache() override;

  /// The live block that holds `address`, for fault reports: gives up where another thread is at
  /// work here. `*block` gets its start and the bytes that were asked for.
  bool find(const void* address, Extent* block) const noexcept;
  /// Memory of the pool serves everybody from now on.
  void release_pool(const void* pool) noexcept;

 private:
  /// A piece of a segment, live or free. `before` and `after` are its neighbours in memory.
  struct Block : Slabbed {
    char* data = nullptr;
    std::size_t bytes = 0, asked = 0;
    void* stream = nullptr;
    const void* pool = nullptr;  ///< the graph it is kept for
    bool small = false, free = false;
    int pending = 0;  ///< events to pass before it is free
    Block *before = nullptr, *after = nullptr;
    StreamUses uses;  ///< streams other than its own, told by record_stream
  };
  /// By pool, then stream, then size, then address: lower_bound is the best fit.
  struct BestFit {
    bool operator()(const Block* a, const Block* b) const;
  };
  using FreeBlocks = std::set<Block*, BestFit, SlabAllocator<Block*>>;

  /// Whose memory a request may be served from.
  struct Owner {
    void* stream;
    const void* pool;
  };
  Owner owner_now() const;
  Block* take_cached(std::size_t bytes, Owner owner);
  Block* take_uncached(std::size_t bytes, Owner owner);
  Block* take_free(std::size_t bytes, Owner owner);
  Block* take_segment(std::size_t segment, std::size_t bytes, Owner owner);
  Block* take_cached_segment(std::size_t segment, std::size_t bytes, Owner owner);
  Block* take_after_emptying(std::size_t bytes, Owner owner);
  void split(Block* block, std::size_t bytes);
  void free_block(Block* block);
  void join(Block* block, Block* after);
  void poll();
  void return_segments();
  [[noreturn]] void out_of_memory(std::size_t bytes) const;

  const Device device_;
  Backend& backend_;
  mutable std::mutex mutex_;  // guards all below
  FreeBlocks free_small_, free_large_;
  std::unordered_map<const void*, Block*, std::hash<const void*>, std::equal_to<const void*>,
                     SlabAllocator<std::pair<const void* const, Block*>>>
      live_;
  DeferredRelease<Block> deferred_;
  MemoryStats stats_;
};

/// Gives the pool of a graph up, on all devices of the kind.
void release_pool(DeviceType type, const void* pool) noexcept;

}  // namespace td
