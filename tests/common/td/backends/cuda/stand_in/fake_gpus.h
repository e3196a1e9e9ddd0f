// Helpers of the tests of the cuda backend on the stand-in for CUDA (tests/support/cuda_stand_in).
#pragma once

#include <chrono>
#include <future>

#include "stand_in.h"
#include "td/td.h"

namespace fake {

inline td::Device gpu(int index = 0) { return td::Device(td::kCUDA, index); }

/// The host waits for all work: streams that it gives work to later come after it.
inline void wait_for_gpus() {
  for (int i = 0; i < td::device_count(td::kCUDA); ++i) td::synchronize(gpu(i));
}

/// Runs `work` in a thread that has chosen no device, and rethrows its exception.
template <class Work>
auto in_new_thread(Work work) {
  return std::async(std::launch::async, std::move(work)).get();
}

/// Keeps a stream from running its work for the lifetime of the object.
class Held {
 public:
  explicit Held(const td::Stream& stream) : stream_(stream) {
    cuda_stand_in::hold(stream.device().index(), stream.native());
  }
  ~Held() { cuda_stand_in::let_go(stream_.device().index(), stream_.native()); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  const td::Stream stream_;
};

}  // namespace fake
