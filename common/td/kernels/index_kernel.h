// The plainest kernel shape: `worker(i)` for every i in [0, count), in any order and in parallel.
// A worker is a trivially copyable functor with `cost()`, roughly the operations one call takes.
// Included by kernel files only.
#pragma once

#include <algorithm>

#include "td/base/parallel.h"
#include "td/kernels/launch.h"

namespace td {
namespace {

template <class Worker>
struct IndexKernel {
  Worker worker;
  std::int64_t count;

  void on_host() const {
    const std::int64_t grain =
        std::max<std::int64_t>(1, 65536 / std::max<std::int64_t>(1, worker.cost()));
    parallel_for(0, count, grain, [this](std::int64_t a, std::int64_t b) {
      const Worker local = worker;
      for (std::int64_t i = a; i < b; ++i) local(i);
    });
  }
#ifdef __CUDACC__
  void on_cuda(cudaStream_t stream) const;
#endif
};

#ifdef __CUDACC__
template <class Worker>
__global__ void index_kernel(Worker worker, std::int64_t count) {
  const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    worker(i);
}
template <class Worker>
void IndexKernel<Worker>::on_cuda(cudaStream_t stream) const {
  if (count == 0) return;
  const std::int64_t blocks = std::min<std::int64_t>((count + 127) / 128, 132 * 16);
  index_kernel<<<unsigned(blocks), 128, 0, stream>>>(worker, count);
}
#endif

template <class Worker>
void launch_index_kernel(const char* name, Device device, const Worker& worker, std::int64_t count,
                    std::initializer_list<const Tensor*> reads,
                    std::initializer_list<const Tensor*> writes) {
  launch(name, device, IndexKernel<Worker>{worker, count}, reads, writes);
}

}  // namespace
}  // namespace td
