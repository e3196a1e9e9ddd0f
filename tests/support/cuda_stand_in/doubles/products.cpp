// Checks, queues and computes matrix products for the doubles of cuBLAS and cuBLASLt. The sums are
// the core's own host_gemm, in float for 16-bit types, and every result is rounded once.
#include "doubles/products.h"

#include <algorithm>
#include <mutex>

#include "libs/host_libs.h"

namespace cuda_stand_in {
namespace {

using std::int64_t;

std::size_t element_bytes(const MatrixProduct& p) { return td::element_size(p.dtype); }

/// The bytes from the first element of the first matrix to the last one of the last matrix.
std::size_t extent(const MatrixProduct& p, const Matrix& x) {
  const int64_t last = (p.batch - 1) * x.stride + (x.columns - 1) * x.step + x.rows;
  return static_cast<std::size_t>(last) * element_bytes(p);
}

/// Where the columns of all matrices begin, in order.
std::vector<std::uintptr_t> columns_of(const MatrixProduct& p, const Matrix& x) {
  std::vector<std::uintptr_t> begins;
  for (int64_t i = 0; i < p.batch; ++i)
    for (int64_t j = 0; j < x.columns; ++j)
      begins.push_back(reinterpret_cast<std::uintptr_t>(x.data) +
                       static_cast<std::size_t>(i * x.stride + j * x.step) * element_bytes(p));
  std::sort(begins.begin(), begins.end());
  return begins;
}

/// Whether C shares an element with `x`. Columns of one may be between columns of the other.
bool overlaps(const MatrixProduct& p, const Matrix& x) {
  const auto *c = static_cast<const char*>(p.c.data), *other = static_cast<const char*>(x.data);
  if (c + extent(p, p.c) <= other || other + extent(p, x) <= c) return false;
  const auto bytes = [&](const Matrix& y) {
    return static_cast<std::size_t>(y.rows) * element_bytes(p);
  };
  const std::vector<std::uintptr_t> targets = columns_of(p, p.c);
  for (const std::uintptr_t begin : columns_of(p, x)) {
    const auto next = std::upper_bound(targets.begin(), targets.end(), begin);
    if (next != targets.end() && *next < begin + bytes(x)) return true;
    if (next != targets.begin() && *std::prev(next) + bytes(p.c) > begin) return true;
  }
  return false;
}

/// Whether two matrices of C share an element.
bool overlaps_itself(const MatrixProduct& p) {
  if (p.batch == 1 || p.c.stride >= (p.n - 1) * p.c.step + p.m) return false;
  const std::vector<std::uintptr_t> begins = columns_of(p, p.c);
  return std::adjacent_find(begins.begin(), begins.end(), [&](auto one, auto next) {
           return next - one < static_cast<std::size_t>(p.m) * element_bytes(p);
         }) != begins.end();
}

/// What cuBLAS itself reports.
bool is_valid(const MatrixProduct& p) {
  for (const Matrix* x : {&p.a, &p.b, &p.c})
    if (!x->data || x->step < std::max<int64_t>(1, x->rows)) return false;
  return p.m >= 0 && p.n >= 0 && p.k >= 0 && p.batch >= 0;
}

/// Why a call that cuBLAS accepts is wrong in the wrapper; empty where it is right.
std::string why_refused(const MatrixProduct& p) {
  if (p.m == 0 || p.n == 0 || p.k == 0 || p.batch == 0) return "a product without elements";
  if (p.a.stride < 0 || p.b.stride < 0 || p.c.stride < 0) return "a negative stride";
  if (overlaps_itself(p)) return "the matrices of C overlap";
  if (overlaps(p, p.a) || overlaps(p, p.b)) return "C overlaps a factor";
  return "";
}

bool check_places(const MatrixProduct& p, int device) {
  const std::size_t element = element_bytes(p);
  const auto check = [&](const char* name, const void* data, std::size_t bytes, std::size_t to) {
    return check_memory(p.call, name, data, bytes, device, to);
  };
  if (p.workspace.bytes == 0) {
    refuse(p.call, "there is no workspace, and cuBLAS's own would be shared by streams");
    return false;
  }
  return check("A", p.a.data, extent(p, p.a), element) &&
         check("B", p.b.data, extent(p, p.b), element) &&
         check("C", p.c.data, extent(p, p.c), element) &&
         check("the workspace", p.workspace.data, p.workspace.bytes, 256) &&
         (!p.bias || check("the bias", p.bias, element * static_cast<std::size_t>(p.m), element));
}

/// The memory of a matrix: of its columns where another matrix may be between them.
void add_uses(const MatrixProduct& p, const Matrix& x, bool writes, std::vector<Use>& uses) {
  constexpr int64_t kMostColumns = 1024;
  if (x.step == x.rows || x.columns * p.batch > kMostColumns)
    return uses.push_back({x.data, extent(p, x), writes});
  for (const std::uintptr_t begin : columns_of(p, x))
    uses.push_back({reinterpret_cast<const void*>(begin),
                    static_cast<std::size_t>(x.rows) * element_bytes(p), writes});
}

std::vector<Use> uses_of(const MatrixProduct& p) {
  std::vector<Use> uses = {{p.workspace.data, p.workspace.bytes, true}};
  add_uses(p, p.a, false, uses);
  add_uses(p, p.b, false, uses);
  if (p.beta != 0) add_uses(p, p.c, false, uses);
  add_uses(p, p.c, true, uses);
  if (p.bias) uses.push_back({p.bias, element_bytes(p) * static_cast<std::size_t>(p.m), false});
  return uses;
}

/// One stored matrix without room between its columns, in the type of the sums.
template <class T, class Sum = typename SumOf<T>::type>
std::vector<Sum> gather(const MatrixProduct& p, const Matrix& x, int64_t index) {
  const T* const from = static_cast<const T*>(device_view(x.data)) + index * x.stride;
  std::vector<Sum> dense;
  dense.reserve(static_cast<std::size_t>(x.rows * x.columns));
  for (int64_t j = 0; j < x.columns; ++j)
    for (int64_t i = 0; i < x.rows; ++i)
      dense.push_back(rounded(static_cast<Sum>(from[j * x.step + i]), p.factors));
  return dense;
}

/// Adds the products of factors from `begin` to `end` of k to the sums. What is column by column
/// here is, row by row, the transposed matrix, so the factors change places.
template <class T, class Sum>
void add_part(const MatrixProduct& p, const std::vector<Sum>& a, const std::vector<Sum>& b,
              int64_t begin, int64_t end, std::vector<Sum>& sums) {
  td::kernels::Gemm gemm;
  gemm.dtype = p.dtype == td::kDouble ? td::kDouble : td::kFloat;
  gemm.transpose_a = p.transpose_b, gemm.transpose_b = p.transpose_a;
  gemm.m = p.n, gemm.n = p.m, gemm.k = end - begin;
  gemm.lda = p.b.rows, gemm.ldb = p.a.rows, gemm.ldc = p.m;
  std::vector<Sum> part(sums.size());
  td::kernels::host_gemm(gemm, b.data() + begin * (p.transpose_b ? p.b.rows : 1),
                         a.data() + begin * (p.transpose_a ? 1 : p.a.rows), nullptr, part.data());
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums[i] += p.rounds_parts ? static_cast<Sum>(static_cast<T>(part[i])) : part[i];
}

template <class T>
void compute(const MatrixProduct& p, int64_t index) {
  using Sum = typename SumOf<T>::type;
  const std::vector<Sum> a = gather<T>(p, p.a, index), b = gather<T>(p, p.b, index);
  std::vector<Sum> sums(static_cast<std::size_t>(p.m * p.n));
  const int64_t middle = p.rounds_parts ? p.k / 2 : 0;
  if (middle > 0) add_part<T>(p, a, b, 0, middle, sums);
  add_part<T>(p, a, b, middle, p.k, sums);

  T* const c = static_cast<T*>(device_view(const_cast<void*>(p.c.data))) + index * p.c.stride;
  const T* const bias = p.bias ? static_cast<const T*>(device_view(p.bias)) : nullptr;
  const Sum alpha = static_cast<Sum>(p.alpha), beta = static_cast<Sum>(p.beta);
  for (int64_t j = 0; j < p.n; ++j)
    for (int64_t i = 0; i < p.m; ++i) {
      T& target = c[j * p.c.step + i];
      Sum value = alpha * sums[static_cast<std::size_t>(j * p.m + i)];
      if (beta != 0) value += beta * static_cast<Sum>(target);
      if (bias) value += static_cast<Sum>(bias[i]);
      target = static_cast<T>(value);
    }
}

}  // namespace

td::ScalarType scalar_type(cudaDataType type) {
  if (type == CUDA_R_16F) return td::kHalf;
  if (type == CUDA_R_16BF) return td::kBFloat16;
  return type == CUDA_R_64F ? td::kDouble : td::kFloat;
}

bool has_products(cudaDataType type, cublasComputeType_t compute) {
  if (type == CUDA_R_64F) return compute == CUBLAS_COMPUTE_64F;
  if (type == CUDA_R_32F && compute == CUBLAS_COMPUTE_32F_FAST_TF32) return true;
  const bool is_known = type == CUDA_R_16F || type == CUDA_R_16BF || type == CUDA_R_32F;
  return is_known && compute == CUBLAS_COMPUTE_32F;
}

Factors factors_of(cudaDataType type, cublasComputeType_t compute, cublasMath_t mode) {
  const bool asked =
      compute == CUBLAS_COMPUTE_32F_FAST_TF32 || (mode & 15) == CUBLAS_TF32_TENSOR_OP_MATH;
  return type == CUDA_R_32F && asked ? Factors::kTf32 : Factors::kFloat;
}

cublasStatus_t queue_product(const MatrixProduct& p, const cublasContext& handle,
                             cudaStream_t stream) {
  if (!is_valid(p)) return CUBLAS_STATUS_INVALID_VALUE;
  const std::string why = why_refused(p);
  if (!why.empty()) refuse(p.call, why);
  if (!why.empty() || !check_places(p, handle.device)) return CUBLAS_STATUS_INVALID_VALUE;
  {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    blas().products.push_back({stream, p.workspace.data, p.workspace.bytes, handle.mode, p.m, p.n,
                               p.k, p.batch, p.bias, p.rounds_parts});
  }
  if (p.bias && blas().bias_runs_as != CUBLAS_STATUS_SUCCESS) return blas().bias_runs_as;
  const auto run = [p](bool) {
    p.workspace.use();
    with_type(p.dtype, [&]<class T>(T) {
      for (int64_t i = 0; i < p.batch; ++i) compute<T>(p, i);
    });
    p.workspace.spoil();
    return true;
  };
  const cudaError_t error = queue(p.call, stream, {p.call, uses_of(p), run});
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace cuda_stand_in
