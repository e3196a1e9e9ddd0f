// The kernel shape of the optimizers: one launch over the elements of several tensors. Element i of
// a launch belongs to the tensor whose range of `end` holds i, so that all threads get equal shares
// of tensors large and small. Included by kernel files only (sgd.cu, adam.cu,
// amp/unscale_kernels.cu).
//
// A work derives from ParameterList and has, for tensor k,
//   rule_of(k)                  what the elements of the tensor are computed with
//   update(rule, k, from, to)   elements [from, to), on the host
//   update_one(rule, k, i)      element i, on a GPU
#pragma once

#include <algorithm>

#include "td/base/parallel.h"
#include "td/kernels/pointwise.h"

namespace td {
namespace {

/// @tparam kMost tensors in one launch. @tparam kExtentsOfEach what the work reads and writes of
/// each. @tparam kOthers what it reads and writes besides.
template <int kMost, int kExtentsOfEach, int kOthers = 0>
struct ParameterList {
  static_assert(kMost * kExtentsOfEach + kOthers <= Record::kMaxExtents, "a record holds no more");
  static constexpr int kMax = kMost;
  static constexpr int kExtents = kExtentsOfEach;
  static constexpr double kNanoseconds = 0.1;  ///< of one thread of the host, per element
  std::int64_t end[kMax];
  int count = 0;

  void append(std::int64_t numel) {
    end[count] = numel + (count ? end[count - 1] : 0);
    ++count;
  }
  TD_HD static bool skips() { return false; }  ///< true: the launch changes nothing
};

/// What gradients are multiplied by. Divided in double: the result is then rounded once.
template <class C>
TD_HD C reciprocal(const float* scale) {
  return scale ? static_cast<C>(static_cast<float>(1 / static_cast<double>(*scale))) : C(1);
}

#ifdef TD_DEVICE_CODE
template <class Work>
__global__ void list_kernel(Work work) {
  if (work.skips()) return;
  const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
  const std::int64_t total = work.end[work.count - 1];
  int k = 0;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < total; i += step) {
    while (i >= work.end[k]) ++k;
    work.update_one(work.rule_of(k), k, k ? i - work.end[k - 1] : i);
  }
}
#endif

template <class Work>
struct ListWork {
  Work work;

  void on_host() const {
    if (work.skips()) return;
    const std::int64_t total = work.end[work.count - 1];
    constexpr auto grain = static_cast<std::int64_t>(kWorthThreads / Work::kNanoseconds);
    parallel_for(0, total, grain, [this](std::int64_t a, std::int64_t b) {
      for (int k = 0; k < work.count; ++k) {
        const std::int64_t begin = k ? work.end[k - 1] : 0;
        const std::int64_t from = std::max(a, begin), to = std::min(b, work.end[k]);
        if (from < to) work.update(work.rule_of(k), k, from - begin, to - begin);
      }
    });
  }
#ifdef TD_DEVICE_CODE
  void on_cuda(cudaStream_t stream) const {
    const std::int64_t total = work.end[work.count - 1];
    if (total == 0) return;
    const std::int64_t blocks = std::min<std::int64_t>((total + 255) / 256, 132 * 8);
    start(list_kernel<Work>, unsigned(blocks), 256, stream, work);
  }
#endif
};

/// The tensors that a launch reads and writes.
class LaunchTensors {
 public:
  /// Adds the tensor; returns the address of its elements, nullptr for an undefined tensor.
  template <class T>
  const T* reads(const Tensor& tensor) {
    return tensor.defined() ? kernel_pointer<T>(*(reads_[read_++] = &tensor)) : nullptr;
  }
  template <class T>
  T* writes(const Tensor& tensor) {
    return tensor.defined() ? kernel_pointer<T>(*(writes_[written_++] = &tensor)) : nullptr;
  }
  template <class Work>
  void launch(const char* name, const Work& work) const {
    td::launch(name, writes_[0]->device(), ListWork<Work>{work}, TensorRefs(reads_, read_),
               TensorRefs(writes_, written_));
  }

 private:
  const Tensor* reads_[Record::kMaxExtents];
  const Tensor* writes_[Record::kMaxExtents];
  std::size_t read_ = 0, written_ = 0;
};

}  // namespace
}  // namespace td
