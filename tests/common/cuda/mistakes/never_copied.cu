// prints: never_copied.cu:3: reads in[0], which nothing has written since cudaMalloc
// prints: thread (0,0,0) of block (0,0,0)
__global__ void twice(const float* in, float* out) { out[threadIdx.x] = 2 * in[threadIdx.x]; }

int main() {
  float *in, *out;
  cudaMalloc(&in, 32 * sizeof(float));
  cudaMalloc(&out, 32 * sizeof(float));
  twice<<<1, 32>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
