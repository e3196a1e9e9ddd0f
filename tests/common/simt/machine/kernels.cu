#include "kernels.h"

__global__ void add(const float* a, const float* b, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];  // mark: add
}

__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();  // mark: block_sum barrier
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void dynamic_sum(const float* in, float* out, int n) {
  extern __shared__ float smem[];
  const int t = threadIdx.x;
  smem[t] = t < n ? in[t] : 0;
  __syncthreads();
  if (t != 0) return;
  float sum = 0;
  for (int i = 0; i < blockDim.x; ++i) sum += smem[i];
  *out = sum;
}

__global__ void dynamic_reverse(const double* in, double* out, int n) {
  extern __shared__ double any_name_of_its_own[];
  const int t = threadIdx.x;
  if (t < n) any_name_of_its_own[t] = in[t];
  __syncthreads();
  if (t < n) out[t] = any_name_of_its_own[n - 1 - t];  // mark: dynamic_reverse read
}

// Three numbers per thread: its linear index in the block, its block's in the grid, and the
// extents.
__global__ void indices(int* out) {
  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int threads = blockDim.x * blockDim.y * blockDim.z;
  out[b * threads + t] = b * threads + t;
}

__global__ void copy4(const float4* in, float4* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];  // mark: copy4
}

// Nothing but barriers, for timing.
__global__ void barriers(float*, int count) {
  for (int i = 0; i < count; ++i) __syncthreads();
}

// Per block: how many values are not zero, whether all are, whether any is.
__global__ void count_forms(const int* in, int* out) {
  const int value = in[blockIdx.x * blockDim.x + threadIdx.x];
  const int count = __syncthreads_count(value);
  const int all = __syncthreads_and(value);
  const int any = __syncthreads_or(value);
  if (threadIdx.x != 0) return;
  out[3 * blockIdx.x] = count;
  out[3 * blockIdx.x + 1] = all;
  out[3 * blockIdx.x + 2] = any;
}

__global__ void atomics(int* ints, unsigned* counts, float* floats, double* doubles,
                        unsigned long long* wide) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&ints[0], i);
  atomicSub(&ints[1], 1);
  atomicMin(&ints[2], -i);
  atomicMax(&ints[3], i);
  atomicOr(&ints[4], 1 << (i % 8));
  atomicAnd(&ints[5], ~(1 << (i % 8)));
  atomicXor(&ints[6], 3);
  if (atomicCAS(&ints[7], 0, 7) == 0) atomicExch(&ints[8], 5);
  atomicInc(&counts[0], 9);
  atomicDec(&counts[1], 9);
  atomicAdd(&floats[0], 0.5f);
  atomicAdd(&doubles[0], 0.25);
  atomicAdd(&wide[0], 1ull << 40);
}

// Thread 0 begins first and waits for the last one.
__global__ void spin(int* flag, int* out) {
  if (threadIdx.x == 0)
    while (atomicAdd(flag, 0) == 0) {
    }
  if (threadIdx.x == blockDim.x - 1) atomicExch(flag, 1);
  out[threadIdx.x] = 1;
}

__global__ void say(int* out) {
  printf("thread %u of block %u\n", threadIdx.x, blockIdx.x);
  *out = 1;
}

__device__ int global_counter[2] = {5, 0};

__global__ void write_global_counter(int* out) {
  atomicAdd(&global_counter[1], 1);
  __syncthreads();
  if (threadIdx.x == 0) *out = global_counter[0] + atomicExch(&global_counter[1], 0);
}

__global__ void halves(const half* in, half* out, __nv_bfloat16* brain) {
  const int i = threadIdx.x;
  out[i] = __hfma(in[i], in[i], __float2half(0.5f)) + half(1.0f);
  brain[i] = __float2bfloat16(__half2float(in[i]) / 3);
}

__global__ void bits(int* out) {
  out[0] = __popc(0xff00ff);
  out[1] = __clz(1);
  out[2] = __ffs(8);
  out[3] = static_cast<int>(__brev(1u << 31));
  out[4] = min(3, 2) + max(3, 2);
  out[5] = __float_as_int(1.0f);
  out[6] = __ldg(&out[0]);
  out[7] = sizeof(float3) + alignof(float4);
}

// The order in which the threads of all blocks come by.
__global__ void order(int* next, int* out) {
  out[atomicAdd(next, 1)] = blockIdx.x * blockDim.x + threadIdx.x;
}

// 16 bytes read, 4 bytes read, 4 bytes written per thread.
__global__ void accesses(const float4* in, float* out, const int* index) {
  const float4 v = in[threadIdx.x];
  out[index[threadIdx.x]] = v.x + v.y + v.z + v.w;
}

__global__ void copy_struct(const float3* in, float3* out) { out[threadIdx.x] = in[threadIdx.x]; }

__global__ void copy_memory(const float* in, float* out) {
  memcpy(out + 16 * threadIdx.x, in + 16 * threadIdx.x, 64);
  memset(out + 16 * threadIdx.x, 0, 4);
}

__constant__ int table[3] = {10, 20, 30};

__device__ void wait_for_all() { __syncthreads(); }

__global__ void absolutes(const float* f, const double* d, const long long* l, double* out) {
  out[0] = abs(f[0]);
  out[1] = abs(d[0]);
  out[2] = static_cast<double>(abs(l[0]));
  out[3] = abs(-7);
}

__global__ void features(int* out, int2* pairs, uchar4* bytes) {
  const long long begin = clock64();
  __shared__ int2 tile[4];
  tile[threadIdx.x] = make_int2(threadIdx.x, table[threadIdx.x % 3]);
  wait_for_all();
  pairs[threadIdx.x] = tile[3 - threadIdx.x];
  bytes[threadIdx.x] = make_uchar4(1, 2, 3, threadIdx.x);
  __threadfence();
  out[threadIdx.x] = clock64() >= begin;
}

template <class T>
__global__ void scale(T* x, T by) {
  x[threadIdx.x] *= by;  // mark: scale
}
template __global__ void scale<float>(float*, float);
template __global__ void scale<double>(double*, double);
