// prints: out_of_bounds.cu:6: writes c[1000], past the end of c
// prints: c is float[1000]
template <class T>
__global__ void add(const T* a, T* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i % n] + 1;
}

int main() {
  float *a, *c;
  cudaMalloc(&a, 1000 * sizeof(float));
  cudaMalloc(&c, 1000 * sizeof(float));
  cudaMemset(a, 0, 1000 * sizeof(float));
  add<<<4, 256>>>(a, c, 1000);
  cudaDeviceSynchronize();
  cudaDeviceReset();
}
