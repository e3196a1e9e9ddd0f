// prints: uninitialized_shared.cu:6: updates sum that no thread has written
__global__ void add(const int* in, int* out) {
  __shared__ int sum;
  int i = threadIdx.x;
  if (i == 40) atomicAdd(out, 1);
  atomicAdd(&sum, in[i]);
  __syncthreads();
  if (i == 0) *out = sum;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 64 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMemset(in, 0, 64 * sizeof(int));
  cudaMemset(out, 0, sizeof(int));
  add<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
