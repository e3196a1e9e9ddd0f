// The simplest kernel shape: `body(i)` for every index i in [0, count), in any order and in
// parallel. A body is a trivially copyable functor with `cost()`, roughly the operations one call
// takes; with `range(from, to)` it computes these indices on the host itself. Also what a kernel
// does with an index that is out of range. Included by kernel files only.
#pragma once

#include <algorithm>
#include <cstdio>

#include "td/base/parallel.h"
#include "td/kernels/launch.h"

namespace td {
namespace {

/// How many calls of a body are worth a thread; `cost` is roughly the operations one call takes.
inline std::int64_t grain_of(std::int64_t cost) {
  return std::max<std::int64_t>(1, 65536 / std::max<std::int64_t>(1, cost));
}

/// Calls f(i) for every i in [0, count) on several threads of the host.
template <class F>
void each_index(std::int64_t count, std::int64_t cost, const F& f) {
  parallel_for(0, count, grain_of(cost), [&f](std::int64_t from, std::int64_t to) {
    const F local = f;  // which no result overlaps, so that the loop becomes vector instructions
    for (std::int64_t i = from; i < to; ++i) local(i);
  });
}

#ifdef TD_DEVICE_CODE
template <class Body>
__global__ void index_kernel(Body body, std::int64_t count) {
  const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    body(i);
}
#endif

template <class Body>
struct IndexKernel {
  Body body;
  std::int64_t count;

  void on_host() const {
    if constexpr (requires { body.range(count, count); })
      parallel_for(0, count, grain_of(body.cost()),
                   [this](std::int64_t from, std::int64_t to) { body.range(from, to); });
    else
      each_index(count, body.cost(), body);
  }
#ifdef TD_DEVICE_CODE
  void on_cuda(cudaStream_t stream) const {
    if (count == 0) return;
    const std::int64_t blocks = std::min<std::int64_t>((count + 127) / 128, 132 * 16);
    start(index_kernel<Body>, unsigned(blocks), 128, stream, body, count);
  }
#endif
};

template <class Body>
void launch_index_kernel(const char* name, Device device, const Body& body, std::int64_t count,
                         std::initializer_list<const Tensor*> reads,
                         std::initializer_list<const Tensor*> writes) {
  launch(name, device, IndexKernel<Body>{body, count}, reads, writes);
}

/// What a kernel does with an index or a class that does not exist: on the host it throws (on sim
/// the stream reports the error); on cuda it prints the sentence and stops the kernel.
/// @param op,what text that lives as long as the process, e.g. "gather", "index".
/// @param count how many there are; `first`, the smallest that is accepted.
/// On cuda `op` is not printed: its text is host memory.
TD_HD inline void out_of_range([[maybe_unused]] const char* op, [[maybe_unused]] const char* what,
                               std::int64_t value, std::int64_t count, std::int64_t first = 0) {
#ifdef __CUDA_ARCH__
  const long long v = value, low = first, high = count - 1;
  if (count == 0)
    printf("td: index %lld is out of range: the dimension has size 0\n", v);
  else
    printf("td: index %lld is out of range; expected %lld to %lld\n", v, low, high);
  __trap();
#else
  if (count == 0)
    fail<ShapeError>(op, ": ", what, " ", value, " is out of range: the dimension has size 0");
  fail<ShapeError>(op, ": ", what, " ", value, " is out of range; expected ", first, " to ",
                   count - 1);
#endif
}

}  // namespace
}  // namespace td
