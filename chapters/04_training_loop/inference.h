// What the two programs about inference share: their network, and what a piece of work costs in
// memory. Invariant: every measurement ends when the device has finished.
#pragma once

#include <functional>

#include "app/interleaved.h"
#include "td/td.h"

namespace inference {

/// Four convolutions with batch norm, and dropout before the linear layer.
inline td::nn::Sequential image_net() {
  using namespace td::nn;
  const auto conv = [](std::int64_t in, std::int64_t out) {
    return Sequential(Conv2d(Conv2dOptions(in, out, 3).padding(1)), BatchNorm2d(out), ReLU());
  };
  return Sequential(conv(3, 16), conv(16, 16), MaxPool2d(2), conv(16, 32), conv(32, 32),
                    MaxPool2d(2), Dropout(0.3), Flatten(), Linear(2048, 10));
}

using Work = std::function<td::Tensor()>;

/// Bytes in addition to the memory before: at the peak, and after the work.
struct Memory {
  double peak, held;
};

inline Memory memory_of(const Work& work, td::Device device) {
  td::synchronize(device);
  td::allocator(device).reset_peak();
  const std::size_t before = td::memory_stats(device).allocated;
  const td::Tensor result = work();
  td::synchronize(device);
  const td::MemoryStats after = td::memory_stats(device);
  return {static_cast<double>(after.peak_allocated - before),
          static_cast<double>(after.allocated - before)};
}

/// The work, followed by a wait for the device.
inline app::Variant waited(const Work& work, td::Device device) {
  return [=] {
    work();
    td::synchronize(device);
  };
}

inline double mib(double bytes) { return bytes / (1 << 20); }

}  // namespace inference
