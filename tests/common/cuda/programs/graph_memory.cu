// Memory that graphs allocate: in nodes, in a capture, and released elsewhere; a device's pool.
// prints: bytes: 0 4 4
// prints: node: 42 42
// prints: capture: 7 7
// prints: released by the program: 5 5
// prints: pool: 0
#include <cstdio>
#include <cstring>

__global__ void set(int* data, int value) { *data = value; }
__global__ void add(const int* a, int* b) { *b = *a + 1; }

cudaMemAllocNodeParams int_on_device() {
  cudaMemAllocNodeParams parameters;
  memset(&parameters, 0, sizeof parameters);
  parameters.poolProps.allocType = cudaMemAllocationTypePinned;
  parameters.poolProps.location = {cudaMemLocationTypeDevice, 0};
  parameters.bytesize = sizeof(int);
  return parameters;
}

cudaGraphNode_t launch_node(cudaGraph_t graph, cudaGraphNode_t after, int* data, int value) {
  void* arguments[] = {&data, &value};
  cudaKernelNodeParams kernel = {};
  kernel.func = (void*)set;
  kernel.gridDim = kernel.blockDim = dim3(1);
  kernel.kernelParams = arguments;
  cudaGraphNode_t node;
  cudaGraphAddKernelNode(&node, graph, &after, 1, &kernel);
  return node;
}

unsigned long long bytes_of_graphs(cudaGraphMemAttributeType attribute) {
  unsigned long long bytes = 0;
  cudaDeviceGetGraphMemAttribute(0, attribute, &bytes);
  return bytes;
}

/// Two launches of the graph. Each stores its result in `host`.
void launch_twice(const char* what, cudaGraph_t graph, int* host, int* left = nullptr) {
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphDestroy(graph);
  int results[2];
  for (int& result : results) {
    *host = 0;
    cudaGraphLaunch(exec, 0);
    cudaDeviceSynchronize();
    if (left) {
      cudaMemcpy(host, left, sizeof(int), cudaMemcpyDeviceToHost);
      cudaFree(left);
    }
    result = *host;
  }
  cudaGraphExecDestroy(exec);
  printf("%s: %d %d\n", what, results[0], results[1]);
}

int main() {
  int* host;
  cudaMallocHost(&host, sizeof(int));

  cudaGraph_t graph;
  cudaGraphNode_t allocation, kernel, copy, release;
  cudaMemAllocNodeParams parameters = int_on_device();
  cudaGraphCreate(&graph, 0);
  cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &parameters);
  int* data = (int*)parameters.dptr;
  kernel = launch_node(graph, allocation, data, 42);
  cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, host, data, sizeof(int),
                           cudaMemcpyDeviceToHost);
  cudaGraphAddMemFreeNode(&release, graph, &copy, 1, data);
  const auto reserved = bytes_of_graphs(cudaGraphMemAttrReservedMemCurrent);
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, 0);
  cudaDeviceSynchronize();
  printf("bytes: %llu %llu %llu\n", bytes_of_graphs(cudaGraphMemAttrUsedMemCurrent),
         bytes_of_graphs(cudaGraphMemAttrUsedMemHigh), reserved);
  cudaGraphExecDestroy(exec);
  launch_twice("node", graph, host);

  cudaStream_t stream;
  int *a, *b;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&a, sizeof(int), stream);
  cudaMallocAsync(&b, sizeof(int), stream);
  set<<<1, 1, 0, stream>>>(a, 6);
  add<<<1, 1, 0, stream>>>(a, b);
  cudaFreeAsync(a, stream);
  cudaMemcpyAsync(host, b, sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaFreeAsync(b, stream);
  cudaStreamEndCapture(stream, &graph);
  launch_twice("capture", graph, host);

  cudaGraphCreate(&graph, 0);
  cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &parameters);
  data = (int*)parameters.dptr;
  launch_node(graph, allocation, data, 5);
  launch_twice("released by the program", graph, host, data);

  cudaMemPool_t pool;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  const cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0},
                                    cudaMemAccessFlagsProtReadWrite};
  printf("pool: %d\n", cudaMemPoolSetAccess(pool, &access, 1));
  cudaStreamDestroy(stream);
  cudaFreeHost(host);
}
