// prints: destroyed_texture.cu:5: uses a cudaTextureObject_t that no object has: it was destroyed
// prints: thread (0,0,0) of block (0,0,0)
__global__ void copy(cudaTextureObject_t texture, float* out) {
  int i = threadIdx.x;
  out[i] = tex1Dfetch<float>(texture, i);
}

int main() {
  float *data, *out;
  cudaMalloc(&data, 64 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemset(data, 0, 64 * sizeof(float));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {data, cudaCreateChannelDesc<float>(), 64 * sizeof(float)};
  cudaTextureDesc how = {};
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &how, nullptr);
  cudaDestroyTextureObject(texture);
  copy<<<1, 64>>>(texture, out);
  cudaDeviceSynchronize();
  cudaDeviceReset();
}
