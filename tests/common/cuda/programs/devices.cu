// What a program asks about its device.
// prints: cudaErrorInvalidDevice
#include <cuda_runtime.h>
#include <cstdio>
int main() {
  int n = 0;
  cudaError_t e = cudaGetDeviceCount(&n);
  if (e != cudaSuccess) {
    printf("%d\n-> %s\n", (int)e, cudaGetErrorString(e));
    return 1;
  }
  for (int d = 0; d < n; ++d) {
    cudaSetDevice(d);
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, d);
    int drv, rt;
    cudaDriverGetVersion(&drv);
    cudaRuntimeGetVersion(&rt);
    printf("%s %d.%d %d SM %zu MB shared %zu warp %d %d x %d x %d\n", p.name, p.major, p.minor,
           p.multiProcessorCount, p.totalGlobalMem >> 20, p.sharedMemPerBlock, p.warpSize,
           p.maxGridSize[0], p.maxGridSize[1], p.maxThreadsDim[2]);
    int v;
    cudaDeviceGetAttribute(&v, cudaDevAttrMaxSharedMemoryPerBlockOptin, d);
    printf("%d\n", v);
    size_t f, t;
    cudaMemGetInfo(&f, &t);
    printf("%d\n", f <= t);
    e = cudaSetDevice(7);
    printf("%s\n", cudaGetErrorName(e));
    cudaGetLastError();
  }
}
