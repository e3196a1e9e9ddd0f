// The slabs behind slab.h: 16 size classes of 64 bytes, a capped free list per thread, one shared
// pool. Memory taken from the system is kept for the life of the process.
#include "td/base/slab.h"

#include <array>
#include <mutex>
#include <new>

#include "td/base/poison.h"

namespace td {
namespace {

constexpr std::size_t kStep = 64, kClasses = 16, kLargest = kStep * kClasses;
constexpr int kCap = 256, kBatch = 128;  // a thread keeps at most kCap blocks of a class

struct Free {
  Free* next;
};

struct SharedPool {
  std::mutex mutex;
  std::array<Free*, kClasses> free{};
};

SharedPool& shared_pool() {
  static SharedPool* pool = new SharedPool;  // never destroyed: blocks outlive static destructors
  return *pool;
}

struct ThreadLists {
  std::array<Free*, kClasses> free{};
  std::array<int, kClasses> count{};
};

// Null before a thread's first block and after its end; a pointer stays readable at both times.
thread_local constinit ThreadLists* this_thread = nullptr;
thread_local constinit bool thread_ended = false;

// What seldom runs is not inlined: saving its registers would double the common road.
[[gnu::noinline]] void give_back(ThreadLists& mine, std::size_t c, int keep) {
  SharedPool& pool = shared_pool();
  std::lock_guard lock(pool.mutex);
  for (; mine.count[c] > keep; --mine.count[c]) {
    Free* block = mine.free[c];
    mine.free[c] = block->next;
    block->next = pool.free[c];
    pool.free[c] = block;
  }
}

/// Owns a thread's lists and gives them back when it ends.
struct ThreadOwner {
  ThreadLists lists;
  ~ThreadOwner() {
    thread_ended = true;
    this_thread = nullptr;
    for (std::size_t c = 0; c < kClasses; ++c) give_back(lists, c, 0);
  }
};

[[gnu::noinline]] ThreadLists* start_thread() {
  if (thread_ended) return nullptr;
  static thread_local ThreadOwner owner;
  return this_thread = &owner.lists;
}

[[gnu::noinline]] void refill(ThreadLists& mine, std::size_t c) {
  {
    SharedPool& pool = shared_pool();
    std::lock_guard lock(pool.mutex);
    for (; mine.count[c] < kBatch && pool.free[c]; ++mine.count[c]) {
      Free* block = pool.free[c];
      pool.free[c] = block->next;
      block->next = mine.free[c];
      mine.free[c] = block;
    }
  }
  if (mine.free[c]) return;
  const std::size_t bytes = (c + 1) * kStep;
  char* chunk = static_cast<char*>(::operator new(bytes* kBatch, std::align_val_t(64)));
  for (int i = 0; i < kBatch; ++i, ++mine.count[c]) {
    Free* block = reinterpret_cast<Free*>(chunk + i * bytes);
    block->next = mine.free[c];
    mine.free[c] = block;
  }
}

// A thread past its end, where static destructors run, borrows lists for one call.
[[gnu::noinline, gnu::cold]] void* allocate_late(std::size_t c) {
  ThreadLists late;
  refill(late, c);
  Free* block = late.free[c];
  late.free[c] = block->next;
  --late.count[c];
  give_back(late, c, 0);
  unpoison(block, (c + 1) * kStep);
  return block;
}

void put(ThreadLists& mine, Free* block, std::size_t c) {
  block->next = mine.free[c];
  mine.free[c] = block;
  poison_after(block, sizeof(Free), (c + 1) * kStep);
  if (++mine.count[c] > kCap) [[unlikely]]
    give_back(mine, c, kCap - kBatch);
}

// The first or, past its end, the last of a thread's releases.
[[gnu::noinline, gnu::cold]] void release_unusual(Free* block, std::size_t c) {
  if (ThreadLists* mine = start_thread()) return put(*mine, block, c);
  SharedPool& pool = shared_pool();
  std::lock_guard lock(pool.mutex);
  block->next = pool.free[c];
  pool.free[c] = block;
}

}  // namespace

void* slab_allocate(std::size_t bytes) {
  if (bytes > kLargest) return ::operator new(bytes);
  const std::size_t c = bytes ? (bytes - 1) / kStep : 0;
  ThreadLists* mine = this_thread;
  if (!mine) [[unlikely]] {
    mine = start_thread();
    if (!mine) return allocate_late(c);
  }
  if (!mine->free[c]) [[unlikely]]
    refill(*mine, c);
  Free* block = mine->free[c];
  mine->free[c] = block->next;
  --mine->count[c];
  unpoison(block, bytes);
  return block;
}

void slab_release(void* pointer, std::size_t bytes) noexcept {
  if (!pointer) return;
  if (bytes > kLargest) return ::operator delete(pointer);
  const std::size_t c = bytes ? (bytes - 1) / kStep : 0;
  Free* block = static_cast<Free*>(pointer);
  if (!this_thread) [[unlikely]]
    return release_unusual(block, c);
  put(*this_thread, block, c);
}

}  // namespace td
