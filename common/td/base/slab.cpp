// The slabs behind slab.h: 16 size classes of 64 bytes, a capped free list per thread, one shared
// pool. Memory taken from the system is kept for the life of the process.
#include "td/base/slab.h"

#include <array>
#include <mutex>
#include <new>
#include <vector>

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
  ~ThreadLists();
};

// 0: not yet made, 1: alive, 2: gone. A plain integer stays readable while the thread ends.
thread_local int lists_state = 0;
thread_local ThreadLists lists;

void give_back(ThreadLists& mine, std::size_t c, int keep) {
  SharedPool& pool = shared_pool();
  std::lock_guard lock(pool.mutex);
  for (; mine.count[c] > keep; --mine.count[c]) {
    Free* block = mine.free[c];
    mine.free[c] = block->next;
    block->next = pool.free[c];
    pool.free[c] = block;
  }
}

ThreadLists::~ThreadLists() {
  lists_state = 2;
  for (std::size_t c = 0; c < kClasses; ++c) give_back(*this, c, 0);
}

ThreadLists* thread_lists() {
  if (lists_state == 2) return nullptr;
  lists_state = 1;
  return &lists;
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
  char* chunk = static_cast<char*>(::operator new(bytes * kBatch, std::align_val_t(64)));
  for (int i = 0; i < kBatch; ++i, ++mine.count[c]) {
    Free* block = reinterpret_cast<Free*>(chunk + i * bytes);
    block->next = mine.free[c];
    mine.free[c] = block;
  }
}

}  // namespace

void* slab_allocate(std::size_t bytes) {
  if (bytes > kLargest) return ::operator new(bytes);
  const std::size_t c = bytes ? (bytes - 1) / kStep : 0;
  ThreadLists* mine = thread_lists();
  ThreadLists ending;  // a thread past its end serves itself from the shared pool
  if (!mine) mine = &ending;
  if (!mine->free[c]) [[unlikely]] refill(*mine, c);
  Free* block = mine->free[c];
  mine->free[c] = block->next;
  --mine->count[c];
  return block;
}

void slab_release(void* pointer, std::size_t bytes) noexcept {
  if (!pointer) return;
  if (bytes > kLargest) return ::operator delete(pointer);
  const std::size_t c = bytes ? (bytes - 1) / kStep : 0;
  ThreadLists* mine = thread_lists();
  ThreadLists ending;
  if (!mine) mine = &ending;
  Free* block = static_cast<Free*>(pointer);
  block->next = mine->free[c];
  mine->free[c] = block;
  if (++mine->count[c] > kCap) [[unlikely]] give_back(*mine, c, kCap - kBatch);
}

}  // namespace td
