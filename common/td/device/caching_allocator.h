// Cached device memory: the scheme of PyTorch's CUDA caching allocator. Used for sim and
// cuda through allocator(device); pinned_allocator.cpp uses it for pinned memory.
//
// Why it exists. Allocating from a device is slow (cudaMalloc takes microseconds to milliseconds
// and waits for the device), and a training step allocates hundreds of times. So memory is taken in
// large *segments*, which are cut into *blocks*. A released block is kept for the next tensor.
//
// Why it does not wait. The host runs ahead of the device: when it releases a tensor, kernels that
// use it may still be queued. The block may serve the next tensor of the *same stream* immediately,
// because the kernels of that tensor run later. Another stream has no such order. So every block
// belongs to the stream it was allocated for, and a program that uses it on a second stream calls
// record_stream. On release an event marks that stream, and the block waits for the event.
//
// Sizes. Requests are rounded up to 512 bytes. Up to 1 MiB they come from segments of 2 MiB, below
// 10 MiB from segments of 20 MiB, and above that from a segment of their own, rounded to 2 MiB. The
// smallest free block that fits is taken and the rest is split off; a released block joins free
// neighbours again. Only whole free segments can go back to the device. The price is memory that is
// "cached but in pieces"; the out-of-memory message says how much.
//
// TD_NO_CACHING=1 switches all of this off, for tools that look for wrong accesses: between the
// blocks of one segment compute-sanitizer sees no border. Every block is then an allocation of its
// own, of exactly the bytes that were asked for. It goes back to the device when it is released,
// after the device has finished its work. That is slow, and the host no longer runs ahead, but the
// results are the same.
//
// Pinned memory. A device copies from it and to it without the host's help, so a released block
// must wait for these copies: the code that queues a copy calls record_stream.
//
// Graphs. A replay uses the addresses of its capture. So the memory that a thread allocates during
// a capture comes from whole segments, which are the graph's *pool*. Its released blocks serve that
// capture alone, until the graph releases its pool.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

#include "td/device/allocator.h"
#include "td/device/backend.h"

namespace td {

/// The allocator of one sim or cuda device.
class CachingAllocator : public Allocator {
 public:
  /// @param device with its index; without one, the memory is pinned memory for its kind.
  explicit CachingAllocator(Device device);

  void* allocate(std::size_t bytes) override;
  void release(void* memory, std::size_t bytes) noexcept override;
  void record_stream(void* memory, const Stream& stream) override;
  MemoryStats stats() const override;
  void reset_peak() override;
  void empty_cache() override;

  /// The live block that holds `address`, for fault reports. False when there is none, or when
  /// another thread holds the lock. `*block` gets its start and the bytes that were asked for.
  bool find(const void* address, Extent* block) const noexcept;
  /// From now on, memory of the pool serves all requests.
  void release_pool(std::uint64_t pool) noexcept;

 protected:
  /// A piece of a segment: live, or waiting for events, or free.
  struct Block : PooledObject {
    char* data = nullptr;
    std::size_t bytes = 0, asked = 0;
    NativeStream* stream = nullptr;  ///< that it is for; null for pinned memory, which is for all
    std::uint64_t pool = 0;          ///< of the capture it is reserved for; 0: of none
    bool small = false, free = false;
    Block *before = nullptr, *after = nullptr;  ///< its neighbours in the segment
    int pending = 0;                            ///< events that must pass before it is free
    StreamUses uses;                            ///< other streams, named by record_stream
  };
  /// Whose memory a request may be served from.
  struct Owner {
    NativeStream* stream;
    std::uint64_t pool;
  };

  /// A block of at least `bytes` bytes; null when there is no room. At the last attempt a segment
  /// has no more bytes than were requested.
  virtual Block* take(std::size_t bytes, bool last_attempt);
  /// Allocates memory from the backend (null when it has none), and frees it.
  /// @{
  virtual void* allocate_segment(std::size_t bytes);
  virtual void release_segment(void* memory);
  /// @}
  [[noreturn]] virtual void out_of_memory(std::size_t bytes) const;

  Block* take_free(std::size_t bytes, bool small, Owner owner, bool whole_segment);
  Block* take_segment(std::size_t segment, bool small, Owner owner);
  /// Keeps a block that is no longer used.
  void free_block(Block* block);

  const Device device_;
  Backend& backend_;
  MemoryStats stats_;  // guarded by mutex_, as all below

 private:
  /// By pool, then stream, then size, then address: lower_bound is the best fit.
  struct BestFit {
    bool operator()(const Block* a, const Block* b) const;
  };
  using FreeBlocks = std::set<Block*, BestFit, ObjectAllocator<Block*>>;
  /// A block that was released while another stream used it; the event is null until it is
  /// recorded.
  struct Waiting {
    NativeEvent* event;
    Block* block;
  };
  /// A stream that has used blocks of other streams.
  struct UsingStream {
    StreamUse use;
    std::deque<Waiting> waiting;       ///< in the order of the events
    std::vector<NativeEvent*> events;  ///< for reuse
  };

  void split(Block* block, std::size_t bytes);
  void join(Block* block, Block* after);
  void return_segments();
  std::size_t largest_free() const;
  void poll();
  void wait_for_streams();
  void wait_for_uses(Block* block) noexcept;
  NativeEvent* record_event(UsingStream& stream);
  void record_missing_events() noexcept;
  /// False while any thread captures a graph.
  static bool may_wait_for_streams();

  const bool caches_;
  mutable std::mutex mutex_;
  std::array<FreeBlocks, 2> free_;  // [1]: blocks of small segments
  std::unordered_map<const void*, Block*, std::hash<const void*>, std::equal_to<const void*>,
                     ObjectAllocator<std::pair<const void* const, Block*>>>
      live_;
  std::vector<UsingStream> streams_;
  bool events_missing_ = false;  // some blocks wait without an event
};

/// The allocator of pinned memory for an accelerator kind that has a device.
Allocator* new_pinned_allocator(DeviceType type);
/// Releases the pool of a capture, by its number, on all devices of the kind.
void release_pool(DeviceType type, std::uint64_t pool) noexcept;

}  // namespace td
