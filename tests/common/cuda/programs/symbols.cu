// Constants and variables of the device, filled and read by the host.
// prints: 7 11 100 16 10 64
#include <iostream>
#include <vector>
#define RADIUS 4
__constant__ float c_kernel[2 * RADIUS + 1];
__constant__ int table[3] = {1, 2, 3};
__device__ int counter;
__device__ float lookup[16];
struct Params {
  int n;
  float scale;
  float* out;
};
__constant__ Params params;
__global__ void conv(const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0;
  for (int k = -RADIUS; k <= RADIUS; ++k)
    if (i + k >= 0 && i + k < n) s += in[i + k] * c_kernel[k + RADIUS];
  params.out[i] = s * params.scale + table[1];
  atomicAdd(&counter, 1);
  if (i < 16) lookup[i] = s;
}
int main() {
  const int n = 100;
  std::vector<float> k(2 * RADIUS + 1, 1.0f), in(n, 2.0f), out(n);
  float *d_in, *d_out;
  float l[16];
  cudaMalloc(&d_in, n * 4);
  cudaMalloc(&d_out, n * 4);
  cudaMemcpyToSymbol(c_kernel, k.data(), k.size() * sizeof(float));
  Params p{n, 0.5f, d_out};
  cudaMemcpyToSymbol(params, &p, sizeof p);
  int zero = 0;
  cudaMemcpyToSymbol(counter, &zero, sizeof(int));
  cudaMemcpy(d_in, in.data(), n * 4, cudaMemcpyHostToDevice);
  conv<<<2, 64>>>(d_in, n);
  cudaMemcpy(out.data(), d_out, n * 4, cudaMemcpyDeviceToHost);
  int c;
  cudaMemcpyFromSymbol(&c, counter, sizeof(c));
  cudaMemcpyFromSymbol(l, lookup, sizeof l);
  void* address;
  size_t size;
  cudaGetSymbolAddress(&address, lookup);
  cudaGetSymbolSize(&size, lookup);
  float first;
  cudaMemcpy(&first, address, 4, cudaMemcpyDeviceToHost);
  std::cout << out[0] << ' ' << out[50] << ' ' << c << ' ' << l[3] << ' ' << first << ' ' << size
            << '\n';
  cudaFree(d_in);
  cudaFree(d_out);
}
