// Nodes of graphs that depend on a value that a kernel sets: if, else, while and switch.
// prints: odd: 1 0
// prints: even: 0 1
// prints: loop: 10 rounds
// prints: switch: 0 7 0
#include <cstdio>

__global__ void set_if_odd(const int* data, cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, *data % 2);
}
__global__ void add(int* data, int value) { *data += value; }
__global__ void count_down(int* left, int* rounds, cudaGraphConditionalHandle handle) {
  ++*rounds;
  if (--*left == 0) cudaGraphSetConditional(handle, 0);
}

cudaGraphNode_t add_condition(cudaGraph_t graph, cudaGraphConditionalHandle handle,
                              cudaGraphConditionalNodeType type, unsigned size,
                              cudaGraph_t* bodies) {
  cudaGraphNodeParams parameters = {cudaGraphNodeTypeConditional};
  parameters.conditional.handle = handle;
  parameters.conditional.type = type;
  parameters.conditional.size = size;
  cudaGraphNode_t node;
  cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters);
  for (unsigned i = 0; i < size; ++i) bodies[i] = parameters.conditional.phGraph_out[i];
  return node;
}

/// A kernel that adds to a number, as the only node of a graph.
void fill(cudaGraph_t graph, int* data, int value) {
  void* arguments[] = {&data, &value};
  cudaGraphNodeParams parameters = {cudaGraphNodeTypeKernel};
  parameters.kernel.func = (void*)add;
  parameters.kernel.gridDim = parameters.kernel.blockDim = dim3(1);
  parameters.kernel.kernelParams = arguments;
  cudaGraphNode_t node;
  cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters);
}

cudaGraphExec_t finished(cudaGraph_t graph) {
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphDestroy(graph);
  return exec;
}

void launch(cudaGraphExec_t exec, int* device, int* host, int first) {
  const int start[4] = {first};
  cudaMemcpy(device, start, sizeof start, cudaMemcpyHostToDevice);
  cudaGraphLaunch(exec, 0);
  cudaMemcpy(host, device, sizeof start, cudaMemcpyDeviceToHost);
}

int main() {
  int *data, host[4];
  cudaMalloc(&data, sizeof host);
  cudaStream_t stream;
  cudaStreamCreate(&stream);

  // A kernel that is captured, then a node that is not.
  cudaGraph_t graph, bodies[3];
  cudaGraphConditionalHandle handle;
  cudaStreamCaptureStatus status;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph);
  cudaGraphConditionalHandleCreate(&handle, graph);
  set_if_odd<<<1, 1, 0, stream>>>(data, handle);
  cudaGraphNode_t node = add_condition(graph, handle, cudaGraphCondTypeIf, 2, bodies);
  cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1, cudaStreamSetCaptureDependencies);
  cudaStreamEndCapture(stream, &graph);
  fill(bodies[0], data + 1, 1);
  fill(bodies[1], data + 2, 1);
  cudaGraphExec_t exec = finished(graph);
  launch(exec, data, host, 3);
  printf("odd: %d %d\n", host[1], host[2]);
  launch(exec, data, host, 4);
  printf("even: %d %d\n", host[1], host[2]);
  cudaGraphExecDestroy(exec);

  // The loop begins, because each launch sets the value to 1.
  cudaGraphCreate(&graph, 0);
  cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault);
  add_condition(graph, handle, cudaGraphCondTypeWhile, 1, bodies);
  cudaStreamBeginCaptureToGraph(stream, bodies[0], nullptr, nullptr, 0,
                                cudaStreamCaptureModeGlobal);
  count_down<<<1, 1, 0, stream>>>(data, data + 1, handle);
  cudaStreamEndCapture(stream, nullptr);
  exec = finished(graph);
  launch(exec, data, host, 10);
  launch(exec, data, host, 10);
  printf("loop: %d rounds\n", host[1]);
  cudaGraphExecDestroy(exec);

  cudaGraphCreate(&graph, 0);
  cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault);
  add_condition(graph, handle, cudaGraphCondTypeSwitch, 3, bodies);
  for (int i = 0; i < 3; ++i) fill(bodies[i], data + 1 + i, 6 + i);
  exec = finished(graph);
  launch(exec, data, host, 0);
  printf("switch: %d %d %d\n", host[1], host[2], host[3]);
  cudaGraphExecDestroy(exec);
  cudaStreamDestroy(stream);
  cudaFree(data);
}
