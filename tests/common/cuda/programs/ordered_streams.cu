// prints: all is ordered: 0 wrong elements
#include <cstdio>

// Streams that use the same memory, in every way in which CUDA orders them.
__global__ void add_one(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1;
}

__global__ void copy_to(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}

__global__ void count(unsigned* counter) { atomicAdd(counter, 1u); }

__global__ void set_byte(unsigned char* bytes, int i) { bytes[i] = i; }

int main() {
  constexpr int n = 1000;
  float *host, *x, *y, *z;
  unsigned* counter;
  unsigned char* bytes;
  cudaStream_t a, b;
  cudaEvent_t event;
  cudaMallocHost(&host, n * sizeof(float));
  for (float** memory : {&x, &y, &z}) cudaMalloc(memory, n * sizeof(float));
  cudaMalloc(&counter, sizeof(unsigned));
  cudaMalloc(&bytes, 4);
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEventCreate(&event);
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaMemset(counter, 0, sizeof(unsigned));
  cudaDeviceSynchronize();

  // By an event.
  cudaMemcpyAsync(x, host, n * sizeof(float), cudaMemcpyHostToDevice, a);
  cudaEventRecord(event, a);
  cudaStreamWaitEvent(b, event);
  add_one<<<4, 256, 0, b>>>(x, n);
  // By the host, which waits for a stream, and for an event.
  cudaStreamSynchronize(b);
  add_one<<<4, 256, 0, a>>>(x, n);
  cudaEventRecord(event, a);
  cudaEventSynchronize(event);
  add_one<<<4, 256, 0, b>>>(x, n);
  cudaEventRecord(event, b);
  while (cudaEventQuery(event) == cudaErrorNotReady) {
  }
  // Two streams read, and write to memory of their own; then one of them writes what both have
  // read.
  copy_to<<<4, 256, 0, a>>>(x, y, n);
  copy_to<<<4, 256, 0, b>>>(x, z, n);
  cudaEventRecord(event, b);
  cudaStreamWaitEvent(a, event);
  add_one<<<4, 256, 0, a>>>(x, n);
  // Two halves of one array; one counter with atomic functions; bytes of one word.
  cudaDeviceSynchronize();
  add_one<<<2, 256, 0, a>>>(y, n / 2);
  add_one<<<2, 256, 0, b>>>(y + n / 2, n - n / 2);
  count<<<1, 32, 0, a>>>(counter);
  count<<<1, 32, 0, b>>>(counter);
  set_byte<<<1, 1, 0, a>>>(bytes, 0);
  set_byte<<<1, 1, 0, b>>>(bytes, 1);
  // Memory that was freed and is given again.
  cudaFree(z);
  cudaMalloc(&z, n * sizeof(float));
  cudaMemsetAsync(z, 0, n * sizeof(float), a);
  cudaDeviceSynchronize();
  // The default stream and blocking streams wait for each other.
  cudaStream_t blocking;
  cudaStreamCreate(&blocking);
  add_one<<<4, 256>>>(y, n);
  add_one<<<4, 256, 0, blocking>>>(y, n);
  add_one<<<4, 256>>>(y, n);
  cudaMemcpy(host, y, n * sizeof(float), cudaMemcpyDeviceToHost);

  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += host[i] != i + 7;
  std::printf("all is ordered: %d wrong elements\n", wrong);
  for (cudaStream_t stream : {a, b, blocking}) cudaStreamDestroy(stream);
  cudaEventDestroy(event);
  for (float* memory : {x, y, z}) cudaFree(memory);
  cudaFree(counter);
  cudaFree(bytes);
  cudaFreeHost(host);
}
