// Kernels in plain CUDA C++, right ones and wrong ones, that the observers' tests run on the
// machine. A "mark:" comment names its line for the tests.
#include "kernels.h"

__global__ void naive_transpose(const float* in, float* out, int n) {
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  out[x * n + y] = in[y * n + x];  // mark: naive
}

template <int kWidth>
__device__ void transpose(const float* in, float* out, int n, float (*tile)[kWidth]) {
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  out[y * n + x] = tile[threadIdx.x][threadIdx.y];  // mark: column
}

__global__ void narrow_transpose(const float* in, float* out, int n) {
  __shared__ float tile[kTile][kTile];
  transpose(in, out, n, tile);
}

__global__ void padded_transpose(const float* in, float* out, int n) {
  __shared__ float tile[kTile][kTile + 1];
  transpose(in, out, n, tile);
}

__global__ void sum_without_barrier(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0;
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];  // mark: no barrier before
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void sum_of_unwritten(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  if (i < n) s[t] = in[i];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];  // mark: unwritten
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void histogram(const unsigned char* in, int n, unsigned* bins) {
  __shared__ unsigned s[256];
  s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&s[in[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

__global__ void racy_histogram(const unsigned char* in, int n, unsigned* bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bins[in[i]]++;  // mark: racy bins
}

template <bool kFenced>
__device__ void sum_by_last_block(const float* in, float* partial, unsigned* count, float* out,
                                  int n) {
  __shared__ float s[64];
  __shared__ bool is_last;
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t] = i < n ? in[i] : 0;
  for (int half = 32; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) s[t] += s[t + half];
  }
  if (t == 0) {
    partial[blockIdx.x] = s[0];
    if (kFenced) __threadfence();
    is_last = atomicAdd(count, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last || t > 0) return;
  float sum = 0;
  for (unsigned block = 0; block < gridDim.x; ++block) sum += partial[block];  // mark: partial
  *out = sum;
  *count = 0;
}

__global__ void last_block_sum(const float* in, float* partial, unsigned* count, float* out,
                               int n) {
  sum_by_last_block<true>(in, partial, count, out, n);
}

__global__ void unfenced_sum(const float* in, float* partial, unsigned* count, float* out, int n) {
  sum_by_last_block<false>(in, partial, count, out, n);
}

template <bool kSynchronized>
__device__ void sum_of_warp(const float* in, float* out) {
  __shared__ float s[32];
  const int t = threadIdx.x;
  s[t] = in[t];
  for (int half = 16; half > 0; half /= 2) {
    if (kSynchronized) __syncwarp();
    if (t < half) s[t] += s[t + half];  // mark: warp
  }
  if (t == 0) *out = s[0];
}

__global__ void warp_sum(const float* in, float* out) { sum_of_warp<true>(in, out); }
__global__ void unsynchronized_warp_sum(const float* in, float* out) {
  sum_of_warp<false>(in, out);
}

__global__ void double_buffered_scan(const int* in, int* out) {
  __shared__ int a[64], b[64];
  const int t = threadIdx.x;
  int *from = a, *to = b;
  from[t] = in[t];
  for (int step = 1; step < 64; step *= 2) {
    __syncthreads();
    to[t] = t < step ? from[t] : from[t] + from[t - step];
    int* const swap = from;
    from = to;
    to = swap;
  }
  out[t] = from[t];
}

__global__ void scan_in_place(const int* in, int* out) {
  __shared__ int a[64];
  const int t = threadIdx.x;
  a[t] = in[t];
  for (int step = 1; step < 64; step *= 2) {
    __syncthreads();
    const int left = t < step ? 0 : a[t - step];
    a[t] += left;  // mark: in place
  }
  out[t] = a[t];
}

__global__ void scale4(const float* in, float* out, int first) {
  const float4 v = *reinterpret_cast<const float4*>(in + first + 4 * threadIdx.x);  // mark: float4
  reinterpret_cast<float4*>(out)[threadIdx.x] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}

__global__ void shared_overrun(const float* in, float* out) {
  __shared__ float s[64];
  s[threadIdx.x + 1] = in[threadIdx.x];  // mark: overrun
  __syncthreads();
  if (threadIdx.x > 0) out[threadIdx.x] = s[threadIdx.x];
}

__global__ void tiled_matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float as[16][16], bs[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  float sum = 0;
  for (int tile = 0; tile < n; tile += 16) {
    as[y][x] = a[row * n + tile + x];       // mark: a
    bs[y][x] = b[(tile + y) * n + column];  // mark: b
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += as[y][k] * bs[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

struct Pair {
  float x, y;
};

__global__ void copy_pairs(const float* in, float* out, int first) {
  const Pair* pairs = reinterpret_cast<const Pair*>(in + first);
  reinterpret_cast<Pair*>(out)[threadIdx.x] = pairs[threadIdx.x];  // mark: pairs
}

__global__ void pass_by_flag(int* out) {
  __shared__ int value;
  __shared__ unsigned is_ready;
  if (threadIdx.x == 0) is_ready = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value = 42;
    __threadfence_block();
    atomicExch(&is_ready, 1u);
  }
  if (threadIdx.x == 32) {
    while (atomicAdd(&is_ready, 0u) == 0) continue;
    __threadfence_block();
    *out = value;
  }
}

__global__ void half_tile(const half* in, half* out) {
  __shared__ half s[64];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void left_neighbour(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x - 1];  // mark: left
}

// As in the CUDA programming guide, "Atomic Functions".
__device__ float atomic_max(float* address, float value) {
  unsigned* const bits = reinterpret_cast<unsigned*>(address);
  unsigned old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_uint(fmaxf(value, __uint_as_float(assumed))));
  } while (old != assumed);
  return __uint_as_float(old);
}

__global__ void atomic_float_max(const float* in, float* most) {
  atomic_max(most, in[blockIdx.x * blockDim.x + threadIdx.x]);
}

__device__ void put(float* array, int i, float value) { array[i] = value; }
__device__ float get(const float* array, int i) { return array[i]; }

__global__ void exchange_by_helpers(const float* in, float* out) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  put(s, t, get(in, t));              // mark: put
  const float other = get(s, t ^ 3);  // mark: get
  put(out, t, other);
}

// All lanes of a warp read side by side, again and again.
__global__ void long_loops(const float* in, float* out, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[i];  // mark: long_loops
  out[threadIdx.x] = sum;
}

__global__ void one_long_loop(const float* in, float* out, int n) {
  if (threadIdx.x % 32 != 3) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i % 1000];  // mark: one_long_loop
  out[threadIdx.x] = sum;
}
