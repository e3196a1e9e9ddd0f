// Kernels with unusual parameters, for launch_test.cpp.
#include "kernels.h"

__device__ int launches_without_arguments = 0;

__global__ void no_parameters() {
  if (threadIdx.x == 0) ++launches_without_arguments;
}
__global__ void count_launches(int* out) { *out = launches_without_arguments; }

__global__ void many_parameters(int a, int b, int c, int d, int e, int f, int g, int h, int i,
                                int j, int k, int l, int m, int n, int o, int p, int q, int* out) {
  *out = a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + 100 * q;
}

__global__ void large_struct(LargeStruct values, int* out) {
  out[threadIdx.x] = values.numbers[threadIdx.x];
}

__global__ void pointers(const short* shorts, const Particle* particles, float** rows, void* any,
                         const int* missing, float* out) {
  const int i = threadIdx.x;
  rows[i] = out + i;
  static_cast<float*>(any)[i] = particles[i].mass;
  if (!missing) *rows[i] = shorts[i] + particles[i].position.y;
}
