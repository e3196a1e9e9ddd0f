// Helpers of the tests of the stand-in itself: they call the runtime without td, each in a thread
// of its own, so that td's notion of the current device stays right.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "catch.h"
#include "child_process.h"
#include "fake_gpus.h"

namespace raw {

using Texts = std::vector<std::string>;
using cuda_stand_in::CollectRefusals;
using cuda_stand_in::Operation;
using cuda_stand_in::Use;

/// Runs `work` in a thread that has chosen the device.
template <class Work>
void on_gpu(int device, Work work) {
  fake::in_new_thread([&] {
    REQUIRE(cudaSetDevice(device) == cudaSuccess);
    work();
  });
}

inline cudaStream_t new_stream() {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  return stream;
}

inline cudaEvent_t new_event() {
  cudaEvent_t event = nullptr;
  REQUIRE(cudaEventCreate(&event) == cudaSuccess);
  return event;
}

/// Memory of the current device. Freed at the end of the scope.
class Block {
 public:
  explicit Block(std::size_t bytes = 512) : bytes_(bytes) {
    REQUIRE(cudaMalloc(&data_, bytes) == cudaSuccess);
  }
  ~Block() {
    if (data_) cudaFree(data_);
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  char* data() const { return static_cast<char*>(data_); }
  Use read() const { return {data_, bytes_, false}; }
  Use write() const { return {data_, bytes_, true}; }
  cudaError_t free() { return cudaFree(std::exchange(data_, nullptr)); }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

/// Queues an operation that does `work` once.
template <class Work>
cudaError_t queue(cudaStream_t stream, const std::string& name, std::vector<Use> uses, Work work) {
  return cuda_stand_in::queue("test", stream, Operation{name, std::move(uses), [work](bool) {
                                                          work();
                                                          return true;
                                                        }});
}
inline cudaError_t queue(cudaStream_t stream, const std::string& name, std::vector<Use> uses) {
  return queue(stream, name, std::move(uses), [] {});
}

/// `second` comes after what `first` holds.
inline void order(cudaStream_t first, cudaStream_t second) {
  const cudaEvent_t event = new_event();
  CHECK(cudaEventRecord(event, first) == cudaSuccess);
  CHECK(cudaStreamWaitEvent(second, event, 0) == cudaSuccess);
  CHECK(cudaEventDestroy(event) == cudaSuccess);
}

/// Names in the order in which operations ran.
class Log {
 public:
  void add(const std::string& name) {
    const std::lock_guard lock(mutex_);
    names_ += name;
  }
  std::string take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(names_, "");
  }

 private:
  std::mutex mutex_;
  std::string names_;
};

/// The only refusal; the other texts where there are none or several.
inline std::string only(const Texts& refusals) {
  if (refusals.size() == 1) return refusals[0];
  return std::to_string(refusals.size()) + " refusals";
}

/// Runs a hidden test case, whose name has no comma, in a process with this order.
inline void run_in_order(const char* test_case, const std::string& order) {
  const test::ChildResult child = test::run_child(test_case, "TD_STAND_IN_ORDER=" + order);
  INFO(order << ": " << child.output);
  CHECK(child.exit_code == 0);
  CHECK_THAT(child.output, Catch::Contains("All tests passed"));
}

}  // namespace raw
