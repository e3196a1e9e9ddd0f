// linear, the layer of nn::Linear (y = x W^T + b), with its gradients, and the launch of every
// matrix product: it finds out how the operands are laid out and passes them to libs/host_gemm
// (cpu, sim) or to cuBLAS (cuda). products.cpp calls the launch for mm, bmm and addmm. Invariant:
// transposed views are read as they are; operands with other strides are copied first.
#include "libs/host_libs.h"
#include "libs/products.h"
#include "td/kernels/index_kernel.h"
#include "td/ops/op.h"

#ifdef TD_DEVICE_CODE
#include "libs/cuda_libs.h"
#endif

namespace td {
namespace {

using kernels::Gemm;

#ifdef TD_DEVICE_CODE
// cuBLAS multiplies no integers: one thread computes one element.
template <class T>
struct IntegerGemm {
  Gemm g;
  const void *a, *b;
  void* c;
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t matrix = i / (g.m * g.n), row = i / g.n % g.m, column = i % g.n;
    const T* const from_a =
        static_cast<const T*>(a) + matrix * g.stride_a + row * (g.transpose_a ? 1 : g.lda);
    const T* const from_b =
        static_cast<const T*>(b) + matrix * g.stride_b + column * (g.transpose_b ? g.ldb : 1);
    T sum = 0;
    for (std::int64_t k = 0; k < g.k; ++k)
      sum += from_a[k * (g.transpose_a ? g.lda : 1)] * from_b[k * (g.transpose_b ? 1 : g.ldb)];
    T& target = static_cast<T*>(c)[matrix * g.stride_c + row * g.ldc + column];
    target = T(g.alpha) * sum + (g.beta == 0 ? T(0) : T(g.beta) * target);
  }
};
#endif

struct GemmWork {
  Gemm gemm;
  const void *a, *b, *bias;
  void* c;
  int device;

  void on_host() const { kernels::host_gemm(gemm, a, b, bias, c); }
#ifdef TD_DEVICE_CODE
  // False where cuda has no kernel that adds this bias; then nothing was launched.
  bool on_cuda(cudaStream_t stream) const {
    if (bias || is_floating_point(gemm.dtype)) return with_library({device, stream});
    dispatch_numbers("mm", gemm.dtype, [&]<class T>(CppType<T>) {
      if constexpr (std::is_integral_v<T>)
        IndexKernel<IntegerGemm<T>>{{gemm, a, b, c}, gemm.batch * gemm.m * gemm.n}.on_cuda(stream);
    });
    return true;
  }
  bool with_library(cuda::Where where) const {
    Gemm g = gemm;
    g.allow_tf32 = allow_tf32();
    if (bias)
      return is_floating_point(g.dtype) && cuda::libs().gemm_with_bias(g, a, b, bias, c, where);
    cuda::libs().gemm(g, a, b, c, where);
    return true;
  }
#endif
};

// A matrix, or a batch of them, as a library can read it: stored by rows or, when `transposed`, by
// columns.
struct GemmOperand {
  const Tensor* given;
  Tensor copy;  // made when no library can read the tensor that was given
  bool transposed = false;
  std::int64_t ld = 1, batch_stride = 0;

  const Tensor& tensor() const { return copy.defined() ? copy : *given; }
};

GemmOperand prepare_operand(const Tensor& x) {
  const int d = static_cast<int>(x.dim());
  const std::int64_t rows = x.sizes()[d - 2], columns = x.sizes()[d - 1];
  const std::int64_t row_step = x.strides()[d - 2], column_step = x.strides()[d - 1];
  const std::int64_t batch_stride = d == 3 ? x.strides()[0] : 0;
  const auto ld = [](std::int64_t length, std::int64_t count, std::int64_t step) {
    return std::max<std::int64_t>({1, length, count > 1 ? step : 1});
  };
  if ((column_step == 1 || columns <= 1) && (row_step >= columns || rows <= 1))
    return {&x, {}, false, ld(columns, rows, row_step), batch_stride};
  if ((row_step == 1 || rows <= 1) && (column_step >= rows || columns <= 1))
    return {&x, {}, true, ld(rows, columns, column_step), batch_stride};
  Tensor copy = x.detach().clone(MemoryFormat::Contiguous);
  GemmOperand operand = prepare_operand(copy);
  operand.copy = std::move(copy);
  return operand;
}

// False where the device has no product that adds a bias; then nothing was done.
bool launch_gemm(const char* name, const Tensor& out, const GemmOperand& a, const GemmOperand& b,
                 const Tensor& bias, double alpha, double beta) {
  const int d = static_cast<int>(out.dim());
  const std::int64_t m = out.sizes()[d - 2], n = out.sizes()[d - 1];
  const Gemm gemm{.dtype = out.dtype(),
                  .transpose_a = a.transposed,
                  .transpose_b = b.transposed,
                  .m = m,
                  .n = n,
                  .k = a.tensor().sizes()[d - 1],
                  .lda = a.ld,
                  .ldb = b.ld,
                  .ldc = std::max<std::int64_t>(1, n),
                  .batch = d == 3 ? out.sizes()[0] : 1,
                  .stride_a = a.batch_stride,
                  .stride_b = b.batch_stride,
                  .stride_c = m * n,
                  .alpha = alpha,
                  .beta = beta};
  const GemmWork work{gemm,          Pointer{a.tensor()}, Pointer{b.tensor()},
                      Pointer{bias}, Pointer{out},        out.device().index()};
  return launch(name, out.device(), work, {&a.tensor(), &b.tensor(), &bias}, {&out});
}

// out = beta * out, or the bias in every row: the result where k is 0, which libraries reject.
void without_product(const Tensor& out, const Tensor& bias, double beta) {
  if (bias.defined()) return kernels::convert(out, bias);
  if (beta == 0) return kernels::fill(out, 0);
  const Tensor before = out.detach().clone();
  kernels::fill(out, 0);
  kernels::add(out, out, before, beta);
}

constexpr Op kLinear{"linear", {"input", "weight", "bias"}, 2};

Device check_linear(const Tensor& x, const Tensor& w, const Tensor& b) {
  const Device device = common_device(kLinear, x, w, b);
  TD_CHECK(ShapeError, w.dim() == 2,
           "linear: \"weight\" must be a matrix [out_features, in_features] but has sizes ",
           w.sizes());
  TD_CHECK(ShapeError, x.dim() > 0,
           "linear: \"input\" has no dimensions; its last one must be the ", w.size(1),
           " features that \"weight\" expects");
  TD_CHECK(ShapeError, x.size(-1) == w.size(1), "linear: \"input\" has ", x.size(-1),
           " features but \"weight\" expects ", w.size(1), " (input ", x.sizes(), ", weight ",
           w.sizes(), "); the last size of the input must be in_features");
  TD_CHECK(ShapeError, !b.defined() || (b.dim() == 1 && b.size(0) == w.size(0)),
           "linear: \"bias\" must have sizes [", w.size(0),
           "], one number per output feature, but has ", b.sizes());
  const auto same_type = [&](const Tensor& t, const char* name) {
    TD_CHECK(DtypeError, !t.defined() || t.dtype() == x.dtype(), "linear: \"input\" is ", x.dtype(),
             " but \"", name, "\" is ", t.dtype(), "; convert one with to(dtype)");
  };
  same_type(w, "weight");
  same_type(b, "bias");
  TD_CHECK(DtypeError, x.dtype() != kBool, "linear: not defined for bool tensors");
  return device;
}

// The transpose of a matrix, outside the graph.
Tensor transposed(const Tensor& x) {
  const Sizes &sizes = x.impl().sizes, &strides = x.impl().strides;
  return alias(x, {sizes[1], sizes[0]}, {strides[1], strides[0]}, x.storage_offset());
}

// a b or, with `transpose`, a^T b, for a gradient: recorded as mm where it requires grad itself,
// else computed into `buffer` where that is defined and fits.
Tensor gradient_product(const Tensor& a, bool transpose, const Tensor& b, const Tensor& buffer) {
  if (recording(a, b)) return mm(transpose ? a.t() : a, b);
  const Tensor first = transpose ? transposed(a) : a;
  const bool fits = buffer.defined() && buffer.is_contiguous() && buffer.dtype() == a.dtype();
  const Sizes sizes{first.sizes()[0], b.sizes()[1]};
  const Tensor out = fits ? buffer : empty_on(sizes, a.dtype(), a.device());
  kernels::matmul("mm", out, first, b);
  return out;
}

// x is [rows, in_features]. Without a bias it is mm(x, W^T), and is recorded as such.
Tensor linear_matrix(const Tensor& x, const Tensor& w, const Tensor& b, Device device) {
  Tensor y = empty_on({x.sizes()[0], w.sizes()[0]}, x.dtype(), device);
  kernels::matmul("linear", y, x, transposed(w), b);
  if (recording(x, w, b))
    record(b.defined() ? "addmm" : "mm", y, {&x, &w, &b},
           [x = save(x), w = save(w), features = w.size(0)](Gradients& grads, const Tensor& g) {
             grads.set_lazily(0, [&] { return gradient_product(g, false, w(), {}); });
             grads.set_lazily(1, [&] { return gradient_product(g, true, x(), grads.home(1)); });
             grads.set_lazily(2, [&] { return sum_to(g, {features}); });
           });
  return y;
}

}  // namespace

void kernels::matmul(const char* name, const Tensor& out, const Tensor& a, const Tensor& b,
                     const Tensor& bias, double alpha, double beta) {
  if (out.numel() == 0) return;
  if (a.sizes()[a.dim() - 1] == 0) return without_product(out, bias, beta);
  const GemmOperand first = prepare_operand(a), second = prepare_operand(b);
  const bool dense = !bias.defined() || bias.strides()[0] == 1 || bias.numel() == 1;
  const Tensor row = dense ? bias : bias.detach().contiguous();
  if (launch_gemm(name, out, first, second, row, alpha, beta)) return;
  convert(out, bias);  // the product is added to the bias
  launch_gemm(name, out, first, second, {}, alpha, 1);
}

Tensor linear_impl(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  const Device device = check_linear(input, weight, bias);
  if (input.dim() == 2) return linear_matrix(input, weight, bias, device);
  Sizes sizes(input.sizes());
  sizes[sizes.size() - 1] = weight.size(0);
  const std::int64_t rows = numel_of({input.sizes().data(), sizes.size() - 1});
  return linear_matrix(input.reshape({rows, weight.size(1)}), weight, bias, device).view(sizes);
}

}  // namespace td
