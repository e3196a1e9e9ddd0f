// Where random numbers of a captured launch begin. A replay repeats the launch with its arguments,
// RandomStream among them, so what differs from replay to replay lies in device memory.
// ops/random/graph_random.cpp sets this around a draw; random.cpp reads it.
#pragma once

#include "td/tensor/tensor.h"

namespace td::kernels {

/// The seed, and what RandomStream::offset is added to, as two int64 on the device that draws;
/// nullptr outside of captures, where RandomStream says it all.
extern thread_local constinit const Tensor* random_start;

/// Writes both numbers in stream order. A launch copies its arguments when it is queued, so the
/// host need not keep them, and does not wait.
void set_random_start(const Tensor& start, std::uint64_t seed, std::uint64_t offset);

}  // namespace td::kernels
