// The shape of kernels over lists of tensors: one loop over the elements of all of them. Element
// number i of a call belongs to the tensor whose range of `end` holds i, so that threads share out
// all tensors evenly, large and small. Included by kernel files only (optim_*.cpp).
#pragma once

#include <algorithm>

#include "td/base/parallel.h"
#include "td/kernels/pointwise.h"

namespace td {
namespace {

/// What gradients are multiplied by. Divided in double: the result is then rounded once.
template <class C>
TD_HD C reciprocal(const float* scale) {
  return scale ? static_cast<C>(static_cast<float>(1 / static_cast<double>(*scale))) : C(1);
}

#ifdef __CUDACC__
template <class Work>
__global__ void list_kernel(Work work) {
  if (work.skips()) return;
  const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
  const std::int64_t total = work.end[work.count - 1];
  int k = 0;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < total; i += step) {
    while (i >= work.end[k]) ++k;
    work.element(k, k ? i - work.end[k - 1] : i);
  }
}
#endif

/// Runs `work.on_host_part(k, from, to)` for pieces of tensor k, or `work.element(k, i)` on a GPU;
/// nothing where `work.skips()`, which may read device memory.
template <class Work>
struct ListWork {
  Work work;

  void on_host() const {
    if (work.skips()) return;
    const std::int64_t total = work.end[work.count - 1];
    // One launch a step comes alone, when the other threads sleep already: waking them must pay.
    parallel_for(0, total, 2 * kGrain, [this](std::int64_t a, std::int64_t b) {
      for (int k = 0; k < work.count; ++k) {
        const std::int64_t begin = k ? work.end[k - 1] : 0;
        const std::int64_t from = std::max(a, begin), to = std::min(b, work.end[k]);
        if (from < to) work.on_host_part(k, from - begin, to - begin);
      }
    });
  }
#ifdef __CUDACC__
  void on_cuda(cudaStream_t stream) const {
    const std::int64_t total = work.end[work.count - 1];
    if (total == 0) return;
    const std::int64_t blocks = std::min<std::int64_t>((total + 255) / 256, 132 * 8);
    list_kernel<<<unsigned(blocks), 256, 0, stream>>>(work);
  }
#endif
};

}  // namespace
}  // namespace td
