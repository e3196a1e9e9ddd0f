// Memory in rows, structures and tables with pointers of the device, and mapped memory of the host.
// prints: 609 512
// prints: 15
// prints: 4 6
// prints: 10
#include <cstdio>

__global__ void fill_rows(float* data, size_t pitch, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) ((float*)((char*)data + y * pitch))[x] = x + 100 * y;
}

struct List {
  int n;
  float* values;
  List* next;
};
__global__ void sum_list(List* list, float* out) {
  float sum = 0;
  for (; list; list = list->next)
    for (int i = 0; i < list->n; ++i) sum += list->values[i];
  *out = sum;
}

__global__ void sum_rows(float** table, int n, float* out) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += table[i][threadIdx.x];
  out[threadIdx.x] = sum;
}

__global__ void twice(float* data) { data[threadIdx.x] *= 2; }

template <class T>
T* on_device(const T* values, int n) {
  const T* data;  // cudaMalloc takes the address of a pointer to const as well
  cudaMalloc(&data, n * sizeof(T));
  cudaMemcpy((void*)data, values, n * sizeof(T), cudaMemcpyHostToDevice);
  return (T*)data;
}

int main() {
  float *rows, host[7][10], result[2];
  size_t pitch;
  cudaMallocPitch((void**)&rows, &pitch, sizeof host[0], 7);
  fill_rows<<<1, dim3(16, 16)>>>(rows, pitch, 10, 7);
  cudaMemcpy2D(host, sizeof host[0], rows, pitch, sizeof host[0], 7, cudaMemcpyDeviceToHost);
  printf("%g %zu\n", host[6][9], pitch);

  const float first[] = {1, 2}, second[] = {3, 4, 5};
  List last{3, on_device(second, 3), nullptr};
  List begin{2, on_device(first, 2), on_device(&last, 1)};
  List* list = on_device(&begin, 1);
  float* out;
  cudaMalloc(&out, sizeof result);
  sum_list<<<1, 1>>>(list, out);
  cudaMemcpy(result, out, sizeof(float), cudaMemcpyDefault);
  printf("%g\n", result[0]);

  float* const pointers[] = {begin.values, last.values};
  float** table = on_device(pointers, 2);
  sum_rows<<<1, 2>>>(table, 2, out);
  cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
  printf("%g %g\n", result[0], result[1]);

  float *mapped, *seen;
  cudaHostAlloc(&mapped, 32 * sizeof(float), cudaHostAllocMapped);
  cudaHostGetDevicePointer(&seen, mapped, 0);
  for (int i = 0; i < 32; ++i) mapped[i] = i;
  twice<<<1, 32>>>(seen);
  cudaDeviceSynchronize();
  printf("%g\n", mapped[5]);
  cudaFreeHost(mapped);
  for (void* data : {(void*)rows, (void*)last.values, (void*)begin.values, (void*)begin.next,
                     (void*)list, (void*)out, (void*)table})
    cudaFree(data);
}
