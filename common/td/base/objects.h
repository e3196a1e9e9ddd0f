// What tensor handles, storages and graph nodes are made of: counted references to them, their
// memory from the lists of host_memory.h, and short lists of them. Invariant: once a thread's lists
// are filled, an object costs no call to the system's heap.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "td/base/host_memory.h"

namespace td {

/// Base of objects held by intrusive_ptr. The count starts at zero.
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;
  virtual ~RefCounted() = default;

  /// Adds a reference, drops one (with the last, the object is deleted), and returns their number.
  ///@{
  void retain() const noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  void release() const noexcept {
    // An atomic change costs as much as twenty plain instructions. The holder of the only reference
    // needs none, because no other thread can take or drop one.
    if (use_count() == 1 || count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  std::uint32_t use_count() const noexcept { return count_.load(std::memory_order_acquire); }
  ///@}
  /// The first reference to a new object, which no other thread has seen yet.
  void retain_first() const noexcept { count_.store(1, std::memory_order_relaxed); }

 private:
  mutable std::atomic<std::uint32_t> count_{0};
};

/// Shared ownership with the count inside the object: one allocation, a handle of 8 bytes, and
/// `use_count() == 1` means that no other handle refers to the object. Empty by default.
template <class T>
class intrusive_ptr {
 public:
  intrusive_ptr() = default;
  intrusive_ptr(std::nullptr_t) {}
  explicit intrusive_ptr(T* object) : object_(object) {
    if (object_) object_->retain();
  }
  intrusive_ptr(const intrusive_ptr& other) : intrusive_ptr(other.object_) {}
  intrusive_ptr(intrusive_ptr&& other) noexcept : object_(other.detach()) {}
  template <class U>
  intrusive_ptr(const intrusive_ptr<U>& other) : intrusive_ptr(static_cast<T*>(other.get())) {}
  template <class U>
  intrusive_ptr(intrusive_ptr<U>&& other) noexcept : object_(other.detach()) {}
  ~intrusive_ptr() {
    if (object_) object_->release();
  }
  intrusive_ptr& operator=(intrusive_ptr other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  /// A handle to an object whose reference was already taken.
  static intrusive_ptr adopt(T* object) {
    intrusive_ptr p;
    p.object_ = object;
    return p;
  }
  /// Releases the object without dropping its reference, which the caller owns from now on.
  T* detach() noexcept { return std::exchange(object_, nullptr); }

  T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  bool operator==(const intrusive_ptr& other) const noexcept { return object_ == other.object_; }
  void reset() noexcept { *this = intrusive_ptr(); }

 private:
  T* object_ = nullptr;
};

/// Makes a new T and returns a handle to it.
template <class T, class... Args>
intrusive_ptr<T> make_intrusive(Args&&... args) {
  T* object = new T(std::forward<Args>(args)...);
  object->retain_first();
  return intrusive_ptr<T>::adopt(object);
}

/// Base that makes `new T` and `delete p` use allocate_object. The destructor of T must be virtual
/// when it is deleted through a base.
struct PooledObject {
  static void* operator new(std::size_t bytes) { return allocate_object(bytes); }
  static void operator delete(void* block, std::size_t bytes) noexcept {
    release_object(block, bytes);
  }
};

/// The same for standard containers: `std::vector<T, ObjectAllocator<T>>`.
template <class T>
struct ObjectAllocator {
  using value_type = T;
  ObjectAllocator() = default;
  template <class U>
  ObjectAllocator(const ObjectAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(allocate_object(n * sizeof(T))); }
  void deallocate(T* p, std::size_t n) noexcept { release_object(p, n * sizeof(T)); }
  bool operator==(const ObjectAllocator&) const { return true; }
};

/// A vector with room for N elements in place, so that a node makes no list of its own for a few
/// edges or gradients; more elements are stored in a block of allocate_object.
template <class T, std::size_t N>
class SmallVector {
 public:
  SmallVector() = default;
  explicit SmallVector(std::size_t count) { resize(count); }
  SmallVector(const SmallVector&) = delete;
  SmallVector& operator=(const SmallVector&) = delete;
  SmallVector(SmallVector&& other) noexcept {
    if (other.data_ != other.in_place()) {
      data_ = std::exchange(other.data_, other.in_place());
      size_ = std::exchange(other.size_, 0);
      capacity_ = std::exchange(other.capacity_, N);
      return;
    }
    for (T& value : other) push_back(std::move(value));
    other.clear();
  }
  ~SmallVector() {
    clear();
    if (data_ != in_place()) release_object(data_, capacity_ * sizeof(T));
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

  void push_back(T value) { emplace_back(std::move(value)); }
  /// Constructs a new last element in place.
  template <class... Args>
  T& emplace_back(Args&&... args) {
    if (size_ == capacity_) grow(capacity_ * 2);
    return *new (data_ + size_++) T{std::forward<Args>(args)...};
  }
  /// Adds default elements or destroys the last ones.
  void resize(std::size_t count) {
    if (count > capacity_) grow(count);
    while (size_ < count) new (data_ + size_++) T();
    while (size_ > count) data_[--size_].~T();
  }
  /// Destroys all elements and keeps the capacity.
  void clear() { resize(0); }

 private:
  T* in_place() { return reinterpret_cast<T*>(room_); }
  void grow(std::size_t capacity) {
    T* larger = static_cast<T*>(allocate_object(capacity * sizeof(T)));
    for (std::size_t i = 0; i < size_; ++i) {
      new (larger + i) T(std::move(data_[i]));
      data_[i].~T();
    }
    if (data_ != in_place()) release_object(data_, capacity_ * sizeof(T));
    data_ = larger;
    capacity_ = capacity;
  }

  T* data_ = in_place();
  std::size_t size_ = 0, capacity_ = N;
  alignas(T) std::byte room_[N * sizeof(T)];
};

}  // namespace td
