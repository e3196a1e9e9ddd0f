// half2_saxpy: exercise 11.half2_saxpy, declared in kernels.h.
#include "kernels.h"
#include "simt/exercise.h"

__global__ void half2_saxpy(int n, half a, const half* x, half* y) {
  // blank: One pair per thread as half2, with __hfma2; the last thread takes a single half. 8
  // lines.
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) {
    const half2* pairs = reinterpret_cast<const half2*>(x);
    half2* out = reinterpret_cast<half2*>(y);
    out[i] = __hfma2(__half2half2(a), pairs[i], out[i]);
  } else if (i == n / 2 && n % 2 == 1) {
    y[n - 1] = __hfma(a, x[n - 1], y[n - 1]);
  }
  // end
}
