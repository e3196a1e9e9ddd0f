// The double of cuBLAS: its products against loops in float64, and what it rejects.
#include <cuda_runtime.h>

#include <cmath>
#include <thread>

#include "blas.h"
#include "catch.h"
#include "fake_gpus.h"

using namespace td;

namespace {

using fake::Blas;
using fake::Product;
using Texts = std::vector<std::string>;

/// Whether the products are those of loops in float64, rounded once, and nothing else was written.
template <class T>
bool multiplies(const Product<T>& p) {
  const std::vector<T> before = p.c.host();
  Blas blas;
  if (p.run(blas) != CUBLAS_STATUS_SUCCESS) return false;
  const std::vector<double> expected = p.expected(before);
  const std::vector<T> found = p.c.host();
  // Half a unit of the type's last place, and what float sums lose.
  const double half_a_unit = sizeof(T) == 8 ? 1e-14 : std::is_same_v<T, Half> ? 0x1p-11 : 0x1p-8;
  const double relative = sizeof(T) == 4 ? 1e-5 : half_a_unit * 1.001;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double error = std::abs(double(float(found[i])) - expected[i]);
    const double exact =
        std::is_same_v<T, double> ? std::abs(double(found[i]) - expected[i]) : error;
    if (std::isnan(expected[i]) ? !std::isnan(float(found[i]))
                                : !(exact <= 2e-6 + relative * std::abs(expected[i])))
      return false;
  }
  return true;
}

TEST_CASE("the double of cuBLAS multiplies as loops in float64 do, column by column") {
  for (const bool ta : {false, true})
    for (const bool tb : {false, true})
      for (const int batch : {1, 3})
        for (const double beta : {0.0, -1.5}) {
          CAPTURE(ta, tb, batch, beta);
          CHECK(multiplies(Product<float>(ta, tb, batch, 0.75, beta)));
          CHECK(multiplies(Product<double>(ta, tb, batch, 0.75, beta)));
          CHECK(multiplies(Product<Half>(ta, tb, batch, 0.75, beta)));
          CHECK(multiplies(Product<BFloat16>(ta, tb, batch, 0.75, beta)));
        }
}

TEST_CASE("beta 0 reads nothing of C, and memory between columns does not change") {
  Product<float> p(false, false, 2, 1, 0);
  p.c.fill(NAN);
  CHECK(multiplies(p));
}

// 1 + 2^-12 needs more bits than TF32 has.
TEST_CASE("factors are rounded to TF32 where the compute type or the mode asks for it") {
  const auto one_product = [](cublasComputeType_t compute, cublasMath_t mode) {
    Blas blas;
    cublasSetMathMode(blas.handle, mode);
    Product<float> p(false, false, 1, 1, 0);
    p.m = p.n = p.k = 1;
    p.compute = compute;
    p.a.fill(1 + 0x1p-12f), p.b.fill(1);
    REQUIRE(p.run(blas) == CUBLAS_STATUS_SUCCESS);
    return p.c.host()[0];
  };
  CHECK(one_product(CUBLAS_COMPUTE_32F, CUBLAS_DEFAULT_MATH) == 1 + 0x1p-12f);
  CHECK(one_product(CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_DEFAULT_MATH) == 1);
  CHECK(one_product(CUBLAS_COMPUTE_32F, CUBLAS_TF32_TENSOR_OP_MATH) == 1);
}

// 1 + 2^-11 is no half: it becomes 1, and so does 1 + 2^-11 that is added to it later.
TEST_CASE("sums of 16-bit products are rounded between parts unless the mode forbids it") {
  const auto sum = [](cublasMath_t mode) {
    Blas blas;
    cublasSetMathMode(blas.handle, mode);
    Product<Half> p(false, true, 1, 1, 0);
    p.m = p.n = 1, p.k = 4, p.lda = p.ldb = 1;
    p.a.set({Half(1.f), Half(0x1p-11f), Half(0x1p-11f), Half(0.f)}), p.b.fill(Half(1.f));
    REQUIRE(p.run(blas) == CUBLAS_STATUS_SUCCESS);
    return float(p.c.host()[0]);
  };
  CHECK(sum(CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION) == 1 + 0x1p-10f);
  CHECK(sum(CUBLAS_DEFAULT_MATH) == 1);
}

TEST_CASE("a product may name its memory as kernels do, and is counted once") {
  Blas blas;
  Product<float> p(false, false, 1, 1, 0);
  p.a_data = cuda_stand_in::device_view(p.a.data());
  p.c_data = cuda_stand_in::device_view(p.c.data());
  const std::uint64_t before = cuda_stand_in::calls("cublasGemmEx_64");
  CHECK(multiplies(p));
  CHECK(cuda_stand_in::calls("cublasGemmEx_64") == before + 1);
}

TEST_CASE("a product leaves NaN in its workspace") {
  Blas blas;
  blas.workspace.fill(0);
  REQUIRE(Product<float>(false, false, 1, 1, 0).run(blas) == CUBLAS_STATUS_SUCCESS);
  const std::vector<float> left = blas.workspace.host();
  CHECK(std::isnan(left.front()));
  CHECK(std::isnan(left.back()));
}

TEST_CASE("sizes and types that cuBLAS does not take get cuBLAS's codes") {
  Blas blas;
  const auto status = [&](auto change) {
    Product<float> p(false, false, 2, 1, 0);
    change(p);
    return p.run(blas);
  };
  CHECK(status([](auto&) {}) == CUBLAS_STATUS_SUCCESS);
  CHECK(status([](auto& p) { p.lda = p.m - 1; }) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(status([](auto& p) { p.ldb = p.k - 1; }) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(status([](auto& p) { p.ldc = p.m - 1; }) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(status([](auto& p) { p.ta = true, p.lda = p.k - 1; }) == CUBLAS_STATUS_INVALID_VALUE);
  for (auto size : {&Product<float>::m, &Product<float>::n, &Product<float>::k})
    CHECK(status([&](auto& p) { p.*size = -1; }) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(status([](auto& p) { p.type_b = CUDA_R_16F; }) == CUBLAS_STATUS_NOT_SUPPORTED);
  CHECK(status([](auto& p) { p.compute = CUBLAS_COMPUTE_64F; }) == CUBLAS_STATUS_NOT_SUPPORTED);
  CHECK(status([](auto& p) { p.compute = CUBLAS_COMPUTE_16F; }) == CUBLAS_STATUS_NOT_SUPPORTED);
  Product<Half> narrow(false, false, 1, 1, 0);
  narrow.compute = CUBLAS_COMPUTE_32F_FAST_TF32;
  CHECK(narrow.run(blas) == CUBLAS_STATUS_NOT_SUPPORTED);
}

TEST_CASE("products that cuBLAS accepts but td must not make are rejected") {
  cuda_stand_in::CollectRefusals refusals;
  Blas blas;
  const auto refused = [&](auto change) {
    Product<float> p(false, false, 2, 1, 0);
    change(p);
    p.run(blas);
    return refusals.take();
  };
  const std::string call = "cublasGemmStridedBatchedEx_64: ";
  CHECK(refused([](auto&) {}).empty());
  for (auto size : {&Product<float>::m, &Product<float>::n, &Product<float>::k})
    CHECK(refused([&](auto& p) { p.*size = 0; }) == Texts{call + "a product without elements"});
  const std::vector<float> host(1000);
  CHECK(refused([&](auto& p) { p.a_data = host.data(); }) ==
        Texts{call + "A is memory of the host"});
  CHECK(refused([](auto& p) { p.b_data = p.c.data() + 5; }) == Texts{call + "C overlaps a factor"});
  CHECK(refused([](auto& p) { p.stride_c = p.m; }) == Texts{call + "the matrices of C overlap"});
  CHECK(refused([](auto& p) { p.stride_a = -1; }) == Texts{call + "a negative stride"});
  CHECK(refused([](auto& p) {
          p.a_data =
              reinterpret_cast<const float*>(reinterpret_cast<std::uintptr_t>(p.a.data()) + 2);
        }) == Texts{call + "A does not begin at a multiple of 4 bytes"});
}

// As a head's columns are between those of the other heads.
TEST_CASE("the columns of C may lie between those of a factor") {
  Product<float> p(false, false, 1, 1, 0);
  p.lda = p.ldc = 2 * p.m;
  p.c_data = p.a.data() + p.m;
  Blas blas;
  const std::vector<float> a = p.a.host(), b = p.b.host();
  REQUIRE(p.run(blas) == CUBLAS_STATUS_SUCCESS);
  double sum = 0;
  for (std::int64_t l = 0; l < p.k; ++l)
    sum += double(a[std::size_t(l * p.lda)]) * double(b[std::size_t(l)]);
  CHECK(p.a.host()[std::size_t(p.m)] == Approx(sum));
}

TEST_CASE("a handle works on its own device, and not after it was destroyed") {
  const int before = cuda_stand_in::live("cublasHandle_t");
  cuda_stand_in::CollectRefusals refusals;
  Blas blas;
  CHECK(cuda_stand_in::live("cublasHandle_t") == before + 1);
  REQUIRE(cudaSetDevice(1) == cudaSuccess);
  CHECK(cublasSetMathMode(blas.handle, CUBLAS_DEFAULT_MATH) != CUBLAS_STATUS_SUCCESS);
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  CHECK(refusals.take() ==
        Texts{"cublasSetMathMode: the handle is of cuda:0, but cuda:1 is current"});

  cublasHandle_t gone = nullptr;
  REQUIRE(cublasCreate(&gone) == CUBLAS_STATUS_SUCCESS);
  CHECK(cublasDestroy(gone) == CUBLAS_STATUS_SUCCESS);
  cublasSetMathMode(gone, CUBLAS_DEFAULT_MATH);
  cublasSetMathMode(reinterpret_cast<cublasHandle_t>(&gone), CUBLAS_DEFAULT_MATH);
  CHECK(refusals.take() == Texts{"cublasSetMathMode: the cublasHandle_t was destroyed before",
                                 "cublasSetMathMode: an argument is no cublasHandle_t"});
  CHECK(cuda_stand_in::live("cublasHandle_t") == before + 1);
}

TEST_CASE("a handle serves one thread at a time") {
  cuda_stand_in::CollectRefusals refusals;
  Blas blas;
  Texts both;
  const auto hammer = [&](std::stop_token stop) {
    cudaSetDevice(0);
    while (!stop.stop_requested()) cublasSetMathMode(blas.handle, CUBLAS_DEFAULT_MATH);
  };
  {
    const std::jthread one(hammer), two(hammer);
    for (int i = 0; i < 1000 && both.empty(); ++i, both = refusals.take())
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  refusals.take();
  REQUIRE_FALSE(both.empty());
  CHECK(both[0] == "cublasSetMathMode: another thread is inside a call with this handle");
}

TEST_CASE("a stream is set before the workspace, and both are of the handle's device") {
  cuda_stand_in::CollectRefusals refusals;
  const Stream elsewhere = getStreamFromPool(fake::gpu(1));
  Blas blas;
  const auto native = [](const Stream& stream) {
    return reinterpret_cast<cudaStream_t>(stream.native());
  };
  cublasSetStream(blas.handle, native(getDefaultStream(fake::gpu())));
  CHECK(refusals.take() ==
        Texts{"cublasSetStream_v2: it takes away the workspace that was set before"});
  cublasHandle_t fresh = nullptr;
  REQUIRE(cublasCreate(&fresh) == CUBLAS_STATUS_SUCCESS);
  std::swap(fresh, blas.handle);
  CHECK(Product<float>(false, false, 1, 1, 0).run(blas) != CUBLAS_STATUS_SUCCESS);
  cublasSetStream(blas.handle, native(elsewhere));
  CHECK(refusals.take() ==
        Texts{"cublasGemmEx_64: there is no workspace, and cuBLAS's own would be "
              "shared by streams",
              "cublasSetStream_v2: the stream is of another device than the "
              "handle"});
  const auto set = [&](void* data) { cublasSetWorkspace(blas.handle, data, 1024); };
  const Tensor other = empty({256}, TensorOptions(fake::gpu(1)));
  std::vector<float> host(256);
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  set(blas.workspace.data() + 1), set(other.data_ptr()), set(host.data());
  const std::string call = "cublasSetWorkspace_v2: the workspace ";
  CHECK(refusals.take() == Texts{call + "does not begin at a multiple of 256 bytes",
                                 call + "is memory of cuda:1", call + "is memory of the host"});
  std::swap(fresh, blas.handle);
  cublasDestroy(fresh);
}

TEST_CASE("the wrapper keeps a handle for the default stream of each device") {
  for (const int index : {0, 1, 0}) {
    const Tensor x = ones({4, 4}, TensorOptions(fake::gpu(index)));
    CHECK(matmul(x, x).sum().item<float>() == 64);
  }
}

TEST_CASE("the wrapper lets one thread at a time use the handle of a stream") {
  cuda_stand_in::CollectRefusals refusals;
  const Stream stream = getStreamFromPool(fake::gpu());
  const auto multiply = [&] {
    const StreamGuard guard(stream);
    const Tensor x = ones({4, 4}, TensorOptions(fake::gpu()));
    for (int i = 0; i < 300; ++i) matmul(x, x);
  };
  { const std::jthread one(multiply), two(multiply); }
  stream.synchronize();
  CHECK(refusals.take().empty());
}

TEST_CASE("a handle is not made while a stream of the device is captured, or without a device") {
  cuda_stand_in::CollectRefusals refusals;
  cublasHandle_t handle = nullptr;
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) == cudaSuccess);
  CHECK(cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS);
  CHECK(cudaStreamEndCapture(stream, &graph) != cudaSuccess);
  CHECK(refusals.take() ==
        Texts{"cublasCreate_v2: a stream of the device is captured, and making a "
              "handle waits for the device"});
  fake::in_new_thread([&] { cublasCreate(&handle); });
  CHECK(refusals.take() == Texts{"cublasCreate_v2: this thread has chosen no device, so CUDA would "
                                 "make a context on 0"});
  cudaGetLastError();
}

}  // namespace
