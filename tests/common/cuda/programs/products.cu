// A product of matrices by tiles, with a template whose argument is chosen by hand.
// prints: Result = PASS
#include <assert.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <stdio.h>
template <int BLOCK_SIZE>
__global__ void MatrixMulCUDA(float* C, float* A, float* B, int wA, int wB) {
  int bx = blockIdx.x;
  int by = blockIdx.y;
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int aBegin = wA * BLOCK_SIZE * by;
  int aEnd = aBegin + wA - 1;
  int aStep = BLOCK_SIZE;
  int bBegin = BLOCK_SIZE * bx;
  int bStep = BLOCK_SIZE * wB;
  float Csub = 0;
  for (int a = aBegin, b = bBegin; a <= aEnd; a += aStep, b += bStep) {
    __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
    As[ty][tx] = A[a + wA * ty + tx];
    Bs[ty][tx] = B[b + wB * ty + tx];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BLOCK_SIZE; ++k) {
      Csub += As[ty][k] * Bs[k][tx];
    }
    __syncthreads();
  }
  int c = wB * BLOCK_SIZE * by + BLOCK_SIZE * bx;
  C[c + wB * ty + tx] = Csub;
}
int main() {
  int block_size = 16;
  dim3 dimsA(5 * block_size, 4 * block_size, 1), dimsB(3 * block_size, 5 * block_size, 1);
  unsigned int mem_size_A = sizeof(float) * dimsA.x * dimsA.y,
               mem_size_B = sizeof(float) * dimsB.x * dimsB.y,
               mem_size_C = sizeof(float) * dimsB.x * dimsA.y;
  float *h_A, *h_B, *h_C;
  cudaMallocHost(&h_A, mem_size_A);
  cudaMallocHost(&h_B, mem_size_B);
  cudaMallocHost(&h_C, mem_size_C);
  for (unsigned i = 0; i < dimsA.x * dimsA.y; ++i) h_A[i] = 1.0f;
  for (unsigned i = 0; i < dimsB.x * dimsB.y; ++i) h_B[i] = 0.01f;
  float *d_A, *d_B, *d_C;
  cudaStream_t stream;
  cudaMalloc(reinterpret_cast<void**>(&d_A), mem_size_A);
  cudaMalloc(reinterpret_cast<void**>(&d_B), mem_size_B);
  cudaMalloc(reinterpret_cast<void**>(&d_C), mem_size_C);
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMemcpyAsync(d_A, h_A, mem_size_A, cudaMemcpyHostToDevice, stream);
  cudaMemcpyAsync(d_B, h_B, mem_size_B, cudaMemcpyHostToDevice, stream);
  dim3 threads(block_size, block_size);
  dim3 grid(dimsB.x / threads.x, dimsA.y / threads.y);
  if (block_size == 16) {
    MatrixMulCUDA<16><<<grid, threads, 0, stream>>>(d_C, d_A, d_B, dimsA.x, dimsB.x);
  } else {
    MatrixMulCUDA<32><<<grid, threads, 0, stream>>>(d_C, d_A, d_B, dimsA.x, dimsB.x);
  }
  cudaStreamSynchronize(stream);
  cudaEventRecord(start, stream);
  for (int j = 0; j < 3; j++)
    MatrixMulCUDA<16><<<grid, threads, 0, stream>>>(d_C, d_A, d_B, dimsA.x, dimsB.x);
  cudaEventRecord(stop, stream);
  cudaEventSynchronize(stop);
  float msec = 0;
  cudaEventElapsedTime(&msec, start, stop);
  cudaMemcpyAsync(h_C, d_C, mem_size_C, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  bool correct = true;
  for (unsigned i = 0; i < dimsB.x * dimsA.y; i++)
    if (fabs(h_C[i] - dimsA.x * 0.01f) > 1e-4) correct = false;
  printf("%s\n", correct ? "Result = PASS" : "Result = FAIL");
  cudaFreeHost(h_A);
  cudaFreeHost(h_B);
  cudaFreeHost(h_C);
  cudaFree(d_A);
  cudaFree(d_B);
  cudaFree(d_C);
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  cudaStreamDestroy(stream);
  return correct ? EXIT_SUCCESS : EXIT_FAILURE;
}
