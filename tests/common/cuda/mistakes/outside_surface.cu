// prints: outside_surface.cu:5: accesses byte 64 of row 0 of plane 0, outside of a surface
// prints: x counts bytes, not elements
__global__ void fill(cudaSurfaceObject_t surface) {
  int x = threadIdx.x;
  surf2Dwrite(1.0f, surface, 4 * x, threadIdx.y);
}

int main() {
  cudaArray_t array;
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &channels, 16, 4, cudaArraySurfaceLoadStore);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  cudaCreateSurfaceObject(&surface, &resource);
  fill<<<1, dim3(17, 4)>>>(surface);
  cudaDeviceSynchronize();
  cudaDeviceReset();
}
