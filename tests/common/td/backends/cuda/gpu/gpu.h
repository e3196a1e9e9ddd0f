// Helpers of the tests that need a GPU. Without one the program ends before main with code 77 and a
// sentence, which CTest counts as skipped (see skip.cpp).
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "libs/cuda_libs.h"
#include "td/device/allocator.h"
#include "td/device/backend.h"
#include "td/device/stream.h"

namespace gpu {

inline td::Device device() { return td::Device(td::kCUDA, 0); }
inline td::NativeStream* stream() { return td::getCurrentStream(device()).native(); }

/// Values of type T in the GPU's memory.
template <class T>
class Array {
 public:
  explicit Array(std::size_t size)
      : size_(size), data_(td::allocator(device()).allocate(size * sizeof(T))) {}
  explicit Array(const std::vector<T>& values) : Array(values.size()) {
    td::backend(td::kCUDA).copy(data_, device(), values.data(), td::Device(td::kCPU),
                                size_ * sizeof(T), 0, stream());
  }
  ~Array() { td::allocator(device()).release(data_, size_ * sizeof(T)); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  T* data() const { return static_cast<T*>(data_); }
  std::vector<T> host() const {
    std::vector<T> values(size_);
    td::backend(td::kCUDA).copy(values.data(), td::Device(td::kCPU), data_, device(),
                                size_ * sizeof(T), 0, stream());
    return values;
  }

 private:
  std::size_t size_;
  void* data_;
};

/// Small integers, so that sums are exact in every type.
template <class T>
std::vector<T> whole_numbers(std::size_t size, unsigned seed) {
  std::vector<T> values;
  values.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    seed = seed * 1664525u + 1013904223u;
    values.push_back(static_cast<T>(static_cast<float>(static_cast<int>(seed >> 29) - 3)));
  }
  return values;
}

}  // namespace gpu
