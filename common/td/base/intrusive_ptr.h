// Shared ownership with the count inside the object: one allocation, an 8-byte handle, and
// `use_count() == 1` tells that nobody else can see the object.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace td {

/// Base of objects held by intrusive_ptr. The count starts at zero.
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;
  virtual ~RefCounted() = default;

  /// One reference more, one less (the last deletes the object), and how many there are.
  ///@{
  void retain() const noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  void release() const noexcept {
    // An atomic change costs as much as twenty plain instructions, and who holds the only reference
    // needs none: there is nobody else to take or to drop one.
    if (use_count() == 1 || count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  std::uint32_t use_count() const noexcept { return count_.load(std::memory_order_acquire); }
  ///@}
  /// The first reference to a new object, which no other thread has seen yet.
  void retain_first() const noexcept { count_.store(1, std::memory_order_relaxed); }

 private:
  mutable std::atomic<std::uint32_t> count_{0};
};

/// A shared handle; empty by default.
template <class T>
class intrusive_ptr {
 public:
  intrusive_ptr() = default;
  intrusive_ptr(std::nullptr_t) {}
  explicit intrusive_ptr(T* object) : object_(object) {
    if (object_) object_->retain();
  }
  intrusive_ptr(const intrusive_ptr& other) : intrusive_ptr(other.object_) {}
  intrusive_ptr(intrusive_ptr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
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
  /// Lets go of the object without dropping its reference, which is the caller's from now on.
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

/// A new T, held.
template <class T, class... Args>
intrusive_ptr<T> make_intrusive(Args&&... args) {
  T* object = new T(std::forward<Args>(args)...);
  object->retain_first();
  return intrusive_ptr<T>::adopt(object);
}

}  // namespace td
