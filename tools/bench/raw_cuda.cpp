// CUDA and cuBLAS without a framework: the copies of compare_gpu.py, and the matrix products of a
// step of its large MLP. They are the limits that the other programs are compared with. Started by
// the driver, with the protocol of worker.h. Invariant: buffers have the sizes of compare_gpu.cpp's
// tensors, and are allocated once.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <cstring>
#include <memory>

#include "worker.h"

namespace {

using bench::Job;
using bench::Request;

void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
}
void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string(call) + ": " + cublasGetStatusString(status));
}

// Buffers live as long as the process.
void* on_device(std::size_t bytes) {
  constexpr std::size_t kWhole = 2 << 20;
  void* p = nullptr;
  check(cudaMalloc(&p, (bytes + kWhole - 1) / kWhole * kWhole), "cudaMalloc");
  return p;
}

cudaStream_t new_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return stream;
}

std::function<void()> waiting_for(cudaStream_t stream) {
  return [stream] { check(cudaStreamSynchronize(stream), "cudaStreamSynchronize"); };
}

// Host memory whose pages have been written.
void* on_host(std::size_t bytes, bool pinned) {
  void* p = nullptr;
  if (pinned)
    check(cudaHostAlloc(&p, bytes, cudaHostAllocPortable), "cudaHostAlloc");
  else
    p = ::operator new(bytes, std::align_val_t(4096));
  std::memset(p, 0, bytes);
  return p;
}

Job copy(const Request& r) {
  const std::size_t bytes = 4 * static_cast<std::size_t>(r.sized(64 << 20, 1 << 10));
  const bool to_host = r.work.starts_with("to_host"), pinned = r.work.ends_with("pinned");
  const cudaStream_t stream = new_stream();
  void* const there = on_device(bytes);
  void* const host = on_host(bytes, pinned);
  const auto step = [=] {
    check(cudaMemcpyAsync(to_host ? host : there, to_host ? there : host, bytes, cudaMemcpyDefault,
                          stream),
          "cudaMemcpyAsync");
  };
  return {step, waiting_for(stream), {}};
}

// Types of a precision's products.
struct Types {
  explicit Types(const std::string& precision) {
    if (precision == "bfloat16") data = CUDA_R_16BF, bytes = 2;
    if (precision == "float16") data = CUDA_R_16F, bytes = 2;
    if (precision == "tf32") compute = CUBLAS_COMPUTE_32F_FAST_TF32;
  }
  cudaDataType_t data = CUDA_R_32F;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  std::size_t bytes = 4;
};

// The products of layers, with separate buffers for each layer.
class Products {
 public:
  explicit Products(const Request& r)
      : types_(r.precision),
        batch_(r.sized(8192, 32)),
        widths_{r.sized(4096, 48), r.sized(8192, 64), r.sized(8192, 64), r.sized(1024, 16)},
        stream_(new_stream()) {
    check(cublasCreate(&handle_), "cublasCreate");
    check(cublasSetStream(handle_, stream_), "cublasSetStream");
    constexpr std::size_t kWorkspace = 32 << 20;
    check(cublasSetWorkspace(handle_, on_device(kWorkspace), kWorkspace), "cublasSetWorkspace");
    for (std::size_t i = 0; i < widths_.size(); ++i) {
      values_.push_back(filled(batch_ * widths_[i]));
      gradients_.push_back(filled(batch_ * widths_[i]));
      if (i > 0) weights_.push_back(filled(widths_[i] * widths_[i - 1]));
      if (i > 0) weight_gradients_.push_back(filled(widths_[i] * widths_[i - 1]));
    }
    check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }

  /// Forward, then backward; the input needs no gradient. Row-major, so operands are exchanged.
  void step() const {
    const std::size_t layers = weights_.size();
    for (std::size_t i = 0; i < layers; ++i) {  // Y = X W^T
      product(true, false, widths_[i + 1], batch_, widths_[i], weights_[i], values_[i],
              values_[i + 1]);
    }
    for (std::size_t i = layers; i-- > 0;) {  // dW = dY^T X, dX = dY W
      product(false, true, widths_[i], widths_[i + 1], batch_, values_[i], gradients_[i + 1],
              weight_gradients_[i]);
      if (i > 0)
        product(false, false, widths_[i], batch_, widths_[i + 1], weights_[i], gradients_[i + 1],
                gradients_[i]);
    }
  }
  cudaStream_t stream() const { return stream_; }

 private:
  /// Small numbers, because products of zeros are faster than others.
  void* filled(std::int64_t n) const {
    std::vector<char> bytes(static_cast<std::size_t>(n) * types_.bytes);
    for (std::int64_t i = 0; i < n; ++i) {
      const float value = bench::number(static_cast<std::uint32_t>(i), 1) / 64;
      std::uint32_t bits;
      std::memcpy(&bits, &value, 4);
      if (types_.data == CUDA_R_16BF) bits >>= 16;
      if (types_.data == CUDA_R_16F) bits = (bits >> 16 & 0x8000) | 0x2000 | (bits >> 13 & 0x3FF);
      std::memcpy(&bytes[static_cast<std::size_t>(i) * types_.bytes], &bits, types_.bytes);
    }
    void* const there = on_device(bytes.size());
    check(cudaMemcpyAsync(there, bytes.data(), bytes.size(), cudaMemcpyDefault, stream_),
          "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    return there;
  }
  /// Column-major: the m x n result of two factors, each of which may be stored transposed.
  void product(bool transpose_a, bool transpose_b, std::int64_t m, std::int64_t n, std::int64_t k,
               const void* a, const void* b, void* c) const {
    const float one = 1, zero = 0;
    check(cublasGemmEx_64(handle_, transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N,
                          transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k, &one, a, types_.data,
                          transpose_a ? k : m, b, types_.data, transpose_b ? n : k, &zero, c,
                          types_.data, m, types_.compute, CUBLAS_GEMM_DEFAULT),
          "cublasGemmEx");
  }

  Types types_;
  std::int64_t batch_;
  std::vector<std::int64_t> widths_;
  cudaStream_t stream_;
  cublasHandle_t handle_ = nullptr;
  std::vector<void*> values_, gradients_, weights_, weight_gradients_;
};

Job setup(const Request& r) {
  check(cudaSetDevice(0), "cudaSetDevice");
  if (r.mode != "eager") throw std::runtime_error("raw_cuda has no mode " + r.mode);
  if (r.work != "large_mlp") return copy(r);
  const auto products = std::make_shared<Products>(r);
  products->step();
  return {[products] { products->step(); }, waiting_for(products->stream()), {}};
}

}  // namespace

int main() { return bench::work(setup); }
