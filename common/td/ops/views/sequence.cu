// Kernels that number elements: arange and linspace.
#include "td/kernels/kernels.h"
#include "td/kernels/workers.h"

namespace td {
namespace {

/// Whole numbers are counted in int64, all float types in double.
template <class T>
using count_t = std::conditional_t<std::is_floating_point_v<compute_t<T>>, double, std::int64_t>;

template <class T>
struct Arange {
  T* out;
  count_t<T> start, step;
  TD_HD std::int64_t cost() const { return 2; }
  TD_HD void operator()(std::int64_t i) const {
    out[i] = static_cast<T>(static_cast<compute_t<T>>(start + static_cast<count_t<T>>(i) * step));
  }
};

// The upper half is counted from the end, so that the last element is exactly `end`.
template <class T>
struct Linspace {
  T* out;
  double start, end, step;
  std::int64_t n;
  TD_HD std::int64_t cost() const { return 2; }
  TD_HD void operator()(std::int64_t i) const {
    const double value = i < n / 2 ? start + step * static_cast<double>(i)
                                   : end - step * static_cast<double>(n - 1 - i);
    out[i] = static_cast<T>(static_cast<compute_t<T>>(value));
  }
};

}  // namespace

namespace kernels {

void arange(const Tensor& out, const Scalar& start, const Scalar& step) {
  dispatch_numbers("arange", out.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    const Arange<T> work{kernel_pointer<T>(out), start.to<count_t<T>>(), step.to<count_t<T>>()};
    launch_workers("arange", out.device(), work, out.numel(), {}, {&out});
  });
}

void linspace(const Tensor& out, double start, double end) {
  dispatch_numbers("linspace", out.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    const std::int64_t n = out.numel();
    const double step = n > 1 ? (end - start) / static_cast<double>(n - 1) : 0;
    // A single element is the start, as in PyTorch.
    const Linspace<T> work{kernel_pointer<T>(out), start, n == 1 ? start : end, step, n};
    launch_workers("linspace", out.device(), work, n, {}, {&out});
  });
}

}  // namespace kernels
}  // namespace td
