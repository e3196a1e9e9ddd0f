// Work for sim streams without tensors: small records, and a gate that holds a stream until the
// test opens it, so that order is tested by events and never by timing.
#pragma once

#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "sim/sim.h"
#include "td/device/allocator.h"
#include "td/device/backend.h"
#include "td/device/stream.h"

namespace test {

/// Queues `work`, a trivially copyable function object, under `name`.
template <class Work>
void launch(const char* name, const td::Stream& stream, const Work& work) {
  td::Record record(name);
  record.set_work(work);
  td::backend(td::kSIM).submit(record, stream.device().index(), stream.native());
}

/// Holds streams that reached it until open(). Its end waits for them to be through.
class Gate {
 public:
  Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() {
    open();
    while (passed_.load() < holds_) std::this_thread::yield();
  }
  void hold(const td::Stream& stream) {
    ++holds_;
    launch("gate", stream, [gate = this] {
      gate->arrived_.store(true);
      while (!gate->open_.load()) std::this_thread::sleep_for(std::chrono::microseconds(100));
      gate->passed_.fetch_add(1);
    });
  }
  /// Blocks until a stream has reached the gate.
  void wait_until_held() const {
    while (!arrived_.load()) std::this_thread::yield();
  }
  void open() { open_.store(true); }

 private:
  std::atomic<bool> arrived_{false}, open_{false};
  std::atomic<int> passed_{0};
  int holds_ = 0;
};

/// Memory of a sim device that frees itself; `kernel` is where records find it.
template <class T>
class DeviceArray {
 public:
  DeviceArray(const td::Device& device, std::size_t count)
      : device_(td::check_device(device)),
        bytes_(count * sizeof(T)),
        data_(td::allocator(device_).allocate(bytes_)) {}
  ~DeviceArray() { td::allocator(device_).release(data_, bytes_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return static_cast<T*>(data_); }
  T* kernel() const { return static_cast<T*>(td::sim::kernel_view(device_.index(), data_)); }
  td::Device device() const { return device_; }
  std::size_t bytes() const { return bytes_; }
  /// Copies the host's values in, or all values out, on the stream.
  void upload(const T* from, const td::Stream& stream) {
    td::backend(td::kSIM).copy(data_, device_, from, td::kCPU, bytes_, device_.index(),
                               stream.native());
  }
  void download(T* to, const td::Stream& stream) const {
    td::backend(td::kSIM).copy(to, td::kCPU, data_, device_, bytes_, device_.index(),
                               stream.native());
  }
  std::vector<T> values(const td::Stream& stream) const {
    std::vector<T> host(bytes_ / sizeof(T));
    download(host.data(), stream);
    return host;
  }

 private:
  td::Device device_;
  std::size_t bytes_;
  void* data_;
};

}  // namespace test
