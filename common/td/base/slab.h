// Small fixed-size blocks for the objects every operation makes: tensor handles, storages, graph
// nodes. A thread takes from its own list and returns to its own list; lists are capped and
// exchange batches with a shared pool, so that a thread that only frees cannot hoard memory.
#pragma once

#include <cstddef>

namespace td {

/// A block of at least `bytes` bytes, aligned to 16. Sizes above 1024 go to operator new.
void* slab_allocate(std::size_t bytes);
/// Returns a block; `bytes` must be the size it was asked for with.
void slab_release(void* block, std::size_t bytes) noexcept;

/// Base that makes `new T` and `delete p` use the slabs. The destructor of T must be virtual when
/// it is deleted through a base.
struct Slabbed {
  static void* operator new(std::size_t bytes) { return slab_allocate(bytes); }
  static void operator delete(void* block, std::size_t bytes) noexcept {
    slab_release(block, bytes);
  }
};

/// The same for standard containers: `std::vector<T, SlabAllocator<T>>`.
template <class T>
struct SlabAllocator {
  using value_type = T;
  SlabAllocator() = default;
  template <class U>
  SlabAllocator(const SlabAllocator<U>&) {}
  // NOLINTBEGIN(bugprone-sizeof-expression): T may be a pointer, and its own size is meant
  T* allocate(std::size_t n) { return static_cast<T*>(slab_allocate(n * sizeof(T))); }
  void deallocate(T* p, std::size_t n) noexcept { slab_release(p, n * sizeof(T)); }
  // NOLINTEND(bugprone-sizeof-expression)
  bool operator==(const SlabAllocator&) const { return true; }
};

}  // namespace td
