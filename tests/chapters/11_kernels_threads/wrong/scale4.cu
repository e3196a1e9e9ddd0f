#include "kernels.h"

#include "simt/exercise.h"

// answer: head_without_loop
// expect: n = 10 from element 1 on: index 2: expected 3, got 1
// Right where there are at least three threads. With fewer, a thread has several single elements.
namespace head_without_loop {
__global__ void scale4(float* x, float factor, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  int head = (16 - reinterpret_cast<std::uintptr_t>(x) % 16) % 16 / 4;
  if (head > n) head = n;
  const int fours = (n - head) / 4;
  float4* const v = reinterpret_cast<float4*>(x + head);
  for (int i = id; i < fours; i += threads) {
    float4 f = v[i];
    f.x *= factor;
    f.y *= factor;
    f.z *= factor;
    f.w *= factor;
    v[i] = f;
  }
  if (id < head) x[id] *= factor;
  for (int i = head + 4 * fours + id; i < n; i += threads) x[i] *= factor;
}
}  // namespace head_without_loop

// answer: no_tail
// expect: n = 1 from element 0 on: index 0: expected -6, got -2
// Right where what follows the beginning is a multiple of 4 elements.
namespace no_tail {
__global__ void scale4(float* x, float factor, int n) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  const int past = static_cast<int>(reinterpret_cast<unsigned long long>(x) % 16 / 4);
  const int head = min(n, (4 - past) % 4);
  const int fours = (n - head) / 4;
  float4* x4 = reinterpret_cast<float4*>(x + head);
  for (int i = thread; i < fours; i += threads) {
    float4 v = x4[i];
    v.x *= factor, v.y *= factor, v.z *= factor, v.w *= factor;
    x4[i] = v;
  }
  for (int i = thread; i < head; i += threads) x[i] *= factor;
}
}  // namespace no_tail

// answer: no_test_of_the_alignment
// expect: : not a multiple of 16
// Right where x begins at a multiple of 16 bytes. A view of a tensor may begin elsewhere.
namespace no_test_of_the_alignment {
__global__ void scale4(float* x, float factor, int n) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  const int head = 0;
  const int fours = (n - head) / 4;
  float4* x4 = reinterpret_cast<float4*>(x + head);
  for (int i = thread; i < fours; i += threads) {
    float4 v = x4[i];
    v.x *= factor, v.y *= factor, v.z *= factor, v.w *= factor;
    x4[i] = v;
  }
  const int tail = head + 4 * fours;
  for (int i = thread; i < head; i += threads) x[i] *= factor;
  for (int i = tail + thread; i < n; i += threads) x[i] *= factor;
}
}  // namespace no_test_of_the_alignment

// answer: one_by_one
// expect: 512 load requests, at most 134 are needed
// Every result is right, and every access coalesced; but it takes four times as many requests.
namespace one_by_one {
__global__ void scale4(float* x, float factor, int n) {
  const int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) x[i] *= factor;
}
}  // namespace one_by_one

// answer: rounds_up
// expect: reads x[0] to x[3], past the end of x
// Right where n is a multiple of 4. Else the last float4 passes the end.
namespace rounds_up {
__global__ void scale4(float* x, float factor, int n) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  const int past = static_cast<int>(reinterpret_cast<unsigned long long>(x) % 16 / 4);
  const int head = min(n, (4 - past) % 4);
  const int fours = (n - head + 3) / 4;
  float4* x4 = reinterpret_cast<float4*>(x + head);
  for (int i = thread; i < fours; i += threads) {
    float4 v = x4[i];
    v.x *= factor, v.y *= factor, v.z *= factor, v.w *= factor;
    x4[i] = v;
  }
  for (int i = thread; i < head; i += threads) x[i] *= factor;
}
}  // namespace rounds_up

// answer: scalar_store
// expect: 512 store requests, at most 134 are needed
// Every result is right, but the four stores of a lane are 16 bytes apart from those of the next.
namespace scalar_store {
__global__ void scale4(float* x, float factor, int n) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  const int past = static_cast<int>(reinterpret_cast<unsigned long long>(x) % 16 / 4);
  const int head = min(n, (4 - past) % 4);
  const int fours = (n - head) / 4;
  float4* x4 = reinterpret_cast<float4*>(x + head);
  for (int i = thread; i < fours; i += threads) {
    const float4 v = x4[i];
    x[head + 4 * i] = v.x * factor;
    x[head + 4 * i + 1] = v.y * factor;
    x[head + 4 * i + 2] = v.z * factor;
    x[head + 4 * i + 3] = v.w * factor;
  }
  const int tail = head + 4 * fours;
  for (int i = thread; i < head; i += threads) x[i] *= factor;
  for (int i = tail + thread; i < n; i += threads) x[i] *= factor;
}
}  // namespace scalar_store

// answer: block_0_alone
// expect: block 1 of 4 with 64 threads each reads none of the 4000 elements of `x`
// Every result is right, and four elements at once. But the other blocks have nothing to do.
namespace block_0_alone {
__global__ void scale4(float* x, float factor, int n) {
  if (blockIdx.x > 0) return;
  const int thread = threadIdx.x;
  const int threads = blockDim.x;
  const int past = static_cast<int>(reinterpret_cast<unsigned long long>(x) % 16 / 4);
  const int head = min(n, (4 - past) % 4);
  const int fours = (n - head) / 4;
  float4* x4 = reinterpret_cast<float4*>(x + head);
  for (int i = thread; i < fours; i += threads) {
    float4 v = x4[i];
    v.x *= factor, v.y *= factor, v.z *= factor, v.w *= factor;
    x4[i] = v;
  }
  const int tail = head + 4 * fours;
  for (int i = thread; i < head; i += threads) x[i] *= factor;
  for (int i = tail + thread; i < n; i += threads) x[i] *= factor;
}
}  // namespace block_0_alone
