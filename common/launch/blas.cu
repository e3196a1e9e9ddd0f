// The checks of blas.h, and the launch. td stores matrices by rows (libs/products.h), and a
// matrix by columns is its transpose by rows. The factors are therefore exchanged here, and again
// before the call of cuBLAS, which then gets the caller's arguments.
#include "launch/blas.h"

#include "libs/host_libs.h"
#include "libs/products.h"
#include "td/base/error.h"
#include "td/kernels/launch.h"

#ifdef TD_DEVICE_CODE
#include "libs/cuda_libs.h"
#endif

namespace td::simt::blas {
namespace {

struct ColumnProduct {
  kernels::Gemm gemm;  // By rows: its first factor is B.
  const void *first, *second;
  void* result;
  int device;

  void on_host() const { kernels::host_gemm(gemm, first, second, nullptr, result); }
#ifdef TD_DEVICE_CODE
  void on_cuda(cudaStream_t stream) const {
    cuda::libs().gemm(gemm, first, second, result, {device, stream});
  }
#endif
};

// One of the three matrices as the caller describes it, and the positions of its tensor and its
// leading dimension in the list of arguments.
struct Matrix {
  const char* name;
  const Tensor& tensor;
  int rows, columns;  // As stored.
  int ld;
  long long stride;
  int place, ld_place;
};

void check_matrix(const std::string& call, const Handle& handle, const Matrix& x, int batch) {
  const Device device = handle.stream.device();
  TD_CHECK(Error, x.tensor.defined(), call, ": ", x.name, " (parameter ", x.place,
           ") is an undefined tensor");
  TD_CHECK(DeviceError, x.tensor.device() == device, call, ": ", x.name, " (parameter ", x.place,
           ") is on ", x.tensor.device(), " but the handle is for ", device, "; use ", x.name,
           ".to(\"", device, "\")");
  TD_CHECK(DtypeError, x.tensor.dtype() == kFloat, call, ": ", x.name, " (parameter ", x.place,
           ") is ", dtype_name(x.tensor.dtype()), "; expected float32");
  TD_CHECK(Error, x.ld >= x.rows, call, ": ld", static_cast<char>(x.name[0] + 'a' - 'A'),
           " (parameter ", x.ld_place, ") is ", x.ld, ", but a stored column of ", x.name, " has ",
           x.rows, " elements; columns are stored ", x.ld,
           " elements apart, so it must be at least ", x.rows);
  const long long needed =
      (batch - 1) * x.stride + static_cast<long long>(x.columns - 1) * x.ld + x.rows;
  const long long there = static_cast<long long>(extent_of(x.tensor).bytes / sizeof(float));
  TD_CHECK(Error, x.stride >= 0 && needed <= there, call, ": ", x.name, " (parameter ", x.place,
           ") has ", there, " elements from its first to its last, but ", x.columns, " columns of ",
           x.rows, " elements that are stored ", x.ld, " apart take ", needed,
           batch > 1 ? " with all matrices of the batch" : "", "; check m, n, k and ld",
           static_cast<char>(x.name[0] + 'a' - 'A'));
}

void check_sizes(const std::string& call, int m, int n, int k, int batch) {
  const auto check = [&](const char* name, int place, int value) {
    TD_CHECK(Error, value >= 1, call, ": ", name, " (parameter ", place, ") is ", value,
             "; expected at least 1");
  };
  check("m", 4, m);
  check("n", 5, n);
  check("k", 6, k);
  check("batchCount", 18, batch);
}

}  // namespace

void set_stream(Handle& handle, Stream stream) {
  TD_CHECK(DeviceError, stream.device() == handle.stream.device(), "set_stream: the stream is on ",
           stream.device(), " but the handle is for ", handle.stream.device());
  handle.stream = stream;
}

void sgemm(const Handle& handle, Operation transa, Operation transb, int m, int n, int k,
           const float* alpha, const Tensor& A, int lda, const Tensor& B, int ldb,
           const float* beta, const Tensor& C, int ldc) {
  sgemm_strided_batched(handle, transa, transb, m, n, k, alpha, A, lda, 0, B, ldb, 0, beta, C, ldc,
                        0, 1);
}

void sgemm_strided_batched(const Handle& handle, Operation transa, Operation transb, int m, int n,
                           int k, const float* alpha, const Tensor& A, int lda, long long strideA,
                           const Tensor& B, int ldb, long long strideB, const float* beta,
                           const Tensor& C, int ldc, long long strideC, int batchCount) {
  const bool batched = batchCount != 1 || strideA != 0 || strideB != 0 || strideC != 0;
  const std::string call = batched ? "sgemm_strided_batched" : "sgemm";
  const bool ta = transa == Operation::kTranspose, tb = transb == Operation::kTranspose;
  check_sizes(call, m, n, k, batchCount);
  TD_CHECK(Error, alpha && beta, call, ": alpha (parameter 7) and beta (parameter ",
           batched ? 14 : 12, ") must point at numbers on the host");
  check_matrix(call, handle, {"A", A, ta ? k : m, ta ? m : k, lda, strideA, 8, 9}, batchCount);
  check_matrix(call, handle,
               {"B", B, tb ? n : k, tb ? k : n, ldb, strideB, batched ? 11 : 10, batched ? 12 : 11},
               batchCount);
  check_matrix(call, handle, {"C", C, m, n, ldc, strideC, batched ? 15 : 13, batched ? 16 : 14},
               batchCount);
  const kernels::Gemm gemm{.dtype = kFloat,
                           .transpose_a = tb,
                           .transpose_b = ta,
                           .m = n,
                           .n = m,
                           .k = k,
                           .lda = ldb,
                           .ldb = lda,
                           .ldc = ldc,
                           .batch = batchCount,
                           .stride_a = strideB,
                           .stride_b = strideA,
                           .stride_c = strideC,
                           .alpha = *alpha,
                           .beta = *beta};
  const StreamGuard guard(handle.stream);
  const Device device = handle.stream.device();
  const ColumnProduct work{gemm, kernel_pointer<const void>(B), kernel_pointer<const void>(A),
                           kernel_pointer<void>(C), device.index()};
  launch(batched ? "sgemm_strided_batched" : "sgemm", device, work, {&A, &B}, {&C});
}

}  // namespace td::simt::blas
