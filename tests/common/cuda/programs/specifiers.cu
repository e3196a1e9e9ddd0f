// Specifiers in the orders that nvcc takes: alignas, qualifiers of functions and of lambdas.
// prints: 20 0
// prints: 12 6
#include <cstdio>

static int __device__ __forceinline__ twice(int x) { return 2 * x; }
struct Scale {
  __host__ __device__ explicit Scale(int k) : k_(k) {}
  [[nodiscard]] __host__ __device__ int operator()(int x) const { return k_ * x; }

 private:
  int k_;
};
const static __device__ __constant__ int kOffsets[4] = {1, 2, 3, 4};

__global__ void sum(int* out) {
  __shared__ alignas(16) int tile[4];
  __shared__ alignas(alignof(int4)) int others[4];
  tile[threadIdx.x] = twice(kOffsets[threadIdx.x]);
  others[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x > 0) return;
  out[0] = tile[0] + tile[1] + tile[2] + tile[3] + others[0];
  out[1] = reinterpret_cast<size_t>(others) % 16;
}

template <class F>
__global__ void call(F f, int* out) {
  *out = f(threadIdx.x + 3);
}

int main() {
  int *out, host[2];
  cudaMalloc(&out, sizeof host);
  sum<<<1, 4>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d %d\n", host[0], host[1]);
  const Scale scale(2);
  call<<<1, 1>>>([=] __host__ __device__(int x) mutable { return twice(scale(x)); }, out);
  call<<<1, 1>>>([] __device__(int x) { return twice(x); }, out + 1);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d %d\n", host[0], host[1]);
  cudaFree(out);
}
