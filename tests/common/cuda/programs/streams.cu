// Two streams, events, pinned memory, a callback, and a captured graph.
// prints: 0 wrong, 2 calls, 1
// prints: 3 nodes, 24 24
// prints: no error
#include <cuda_runtime.h>

#include <iostream>

__global__ void multiply(int* data, int n, int factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;
}

void CUDART_CB done(void* data) { ++*static_cast<int*>(data); }

int main() {
  constexpr int n = 1 << 12, parts = 2, size = n / parts;
  int *host, *device, calls = 0;
  cudaMallocHost(&host, n * sizeof(int));
  cudaMalloc(&device, n * sizeof(int));
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaStream_t streams[parts];
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  for (auto& stream : streams) cudaStreamCreate(&stream);
  cudaEventRecord(begin);
  for (int p = 0; p < parts; ++p) {
    cudaMemcpyAsync(device + p * size, host + p * size, size * sizeof(int), cudaMemcpyHostToDevice,
                    streams[p]);
    multiply<<<size / 256, 256, 0, streams[p]>>>(device + p * size, size, 3);
    cudaMemcpyAsync(host + p * size, device + p * size, size * sizeof(int), cudaMemcpyDeviceToHost,
                    streams[p]);
    cudaLaunchHostFunc(streams[p], done, &calls);
  }
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float milliseconds = -1;
  cudaEventElapsedTime(&milliseconds, begin, end);
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += host[i] != 3 * i;
  std::cout << wrong << " wrong, " << calls << " calls, " << (milliseconds >= 0) << "\n";

  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaEvent_t fork, join;
  cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
  cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, streams[0]);
  cudaStreamWaitEvent(streams[1], fork, 0);
  for (int p = 0; p < parts; ++p)
    multiply<<<size / 256, 256, 0, streams[p]>>>(device + p * size, size, 2);
  cudaEventRecord(join, streams[1]);
  cudaStreamWaitEvent(streams[0], join, 0);
  cudaMemcpyAsync(host, device, n * sizeof(int), cudaMemcpyDeviceToHost, streams[0]);
  cudaStreamEndCapture(streams[0], &graph);
  size_t nodes = 0;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int i = 0; i < 3; ++i) cudaGraphLaunch(exec, streams[0]);
  cudaStreamSynchronize(streams[0]);
  std::cout << nodes << " nodes, " << host[1] << " " << host[n - 1] / (n - 1) << "\n";
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  for (auto event : {begin, end, fork, join}) cudaEventDestroy(event);
  for (auto& stream : streams) cudaStreamDestroy(stream);
  cudaFree(device);
  cudaFreeHost(host);
  std::cout << cudaGetErrorString(cudaGetLastError()) << "\n";
}
