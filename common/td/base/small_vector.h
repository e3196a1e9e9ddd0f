// A list with room for N elements in place and a block of host memory beyond: what graph nodes use
// for their edges and gradients, so that a training step makes no heap allocation.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include "td/base/host_memory.h"

namespace td {

/// A vector with room for N elements in place; more are stored in a block of slab_allocate.
template <class T, std::size_t N>
class SmallVector {
 public:
  SmallVector() = default;
  explicit SmallVector(std::size_t count) { resize(count); }
  SmallVector(const SmallVector&) = delete;
  SmallVector& operator=(const SmallVector&) = delete;
  SmallVector(SmallVector&& other) noexcept { take(other); }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) {
      free_all();
      take(other);
    }
    return *this;
  }
  ~SmallVector() { free_all(); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

  void push_back(T value) {
    if (size_ == capacity_) grow(capacity_ * 2);
    new (data_ + size_++) T(std::move(value));
  }
  /// Makes a new last element in its place.
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
  /// Destroys all elements and keeps the room.
  void clear() { resize(0); }

 private:
  T* in_place() { return reinterpret_cast<T*>(room_); }
  void grow(std::size_t capacity) {
    T* larger = static_cast<T*>(slab_allocate(capacity * sizeof(T)));
    for (std::size_t i = 0; i < size_; ++i) {
      new (larger + i) T(std::move(data_[i]));
      data_[i].~T();
    }
    if (data_ != in_place()) slab_release(data_, capacity_ * sizeof(T));
    data_ = larger;
    capacity_ = capacity;
  }
  void free_all() {
    clear();
    if (data_ != in_place()) slab_release(data_, capacity_ * sizeof(T));
    data_ = in_place();
    capacity_ = N;
  }
  void take(SmallVector& other) {
    if (other.data_ != other.in_place()) {
      data_ = std::exchange(other.data_, other.in_place());
      size_ = std::exchange(other.size_, 0);
      capacity_ = std::exchange(other.capacity_, N);
      return;
    }
    for (T& value : other) push_back(std::move(value));
    other.clear();
  }

  T* data_ = in_place();
  std::size_t size_ = 0, capacity_ = N;
  alignas(T) std::byte room_[N * sizeof(T)];
};

}  // namespace td
