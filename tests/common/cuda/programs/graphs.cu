// A graph that the program makes node by node, its clone, and a function of the host in it.
// prints: nodes 6
// prints: [graph] Host callback final reduced sum = 4096.000000
#include <cuda_runtime.h>
#include <stdio.h>
#include <vector>
#define THREADS 64
__global__ void reduce(float* in, double* out, size_t n, unsigned outn) {
  __shared__ double t[THREADS];
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  double s = 0;
  while (i < n) {
    s += in[i];
    i += gridDim.x * blockDim.x;
  }
  t[threadIdx.x] = s;
  __syncthreads();
  for (int d = THREADS / 2; d; d >>= 1) {
    if (threadIdx.x < d) t[threadIdx.x] += t[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0 && blockIdx.x < outn) out[blockIdx.x] = t[0];
}
__global__ void reduceFinal(double* in, double* out, size_t n) {
  if (threadIdx.x == 0) {
    double s = 0;
    for (size_t i = 0; i < n; ++i) s += in[i];
    *out = s;
  }
}
typedef struct callBackData {
  const char* fn_name;
  double* data;
} callBackData_t;
void CUDART_CB myHostNodeCallback(void* data) {
  callBackData_t* tmp = (callBackData_t*)(data);
  double* result = (double*)(tmp->data);
  printf("[%s] Host callback final reduced sum = %lf\n", tmp->fn_name, *result);
  *result = 0.0;
}
int main() {
  size_t n = 1 << 12;
  unsigned blocks = 8;
  float *h, *d;
  double *dout, *dres, res = 0;
  cudaMallocHost(&h, n * 4);
  for (size_t i = 0; i < n; ++i) h[i] = 1;
  cudaMalloc(&d, n * 4);
  cudaMalloc(&dout, blocks * 8);
  cudaMalloc(&dres, 8);
  cudaStream_t s;
  cudaGraph_t graph, clone;
  cudaStreamCreate(&s);
  std::vector<cudaGraphNode_t> deps;
  cudaGraphNode_t memcpyNode, kernelNode, memsetNode;
  cudaKernelNodeParams kp = {0};
  cudaMemcpy3DParms mp = {0};
  cudaMemsetParams ms = {0};
  mp.srcArray = NULL;
  mp.srcPos = make_cudaPos(0, 0, 0);
  mp.srcPtr = make_cudaPitchedPtr(h, sizeof(float) * n, n, 1);
  mp.dstArray = NULL;
  mp.dstPos = make_cudaPos(0, 0, 0);
  mp.dstPtr = make_cudaPitchedPtr(d, sizeof(float) * n, n, 1);
  mp.extent = make_cudaExtent(sizeof(float) * n, 1, 1);
  mp.kind = cudaMemcpyHostToDevice;
  ms.dst = (void*)dout;
  ms.value = 0;
  ms.pitch = 0;
  ms.elementSize = sizeof(float);
  ms.width = blocks * 2;
  ms.height = 1;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddMemcpyNode(&memcpyNode, graph, NULL, 0, &mp);
  cudaGraphAddMemsetNode(&memsetNode, graph, NULL, 0, &ms);
  deps.push_back(memsetNode);
  deps.push_back(memcpyNode);
  void* args[4] = {(void*)&d, (void*)&dout, &n, &blocks};
  kp.func = (void*)reduce;
  kp.gridDim = dim3(blocks, 1, 1);
  kp.blockDim = dim3(THREADS, 1, 1);
  kp.sharedMemBytes = 0;
  kp.kernelParams = (void**)args;
  kp.extra = NULL;
  cudaGraphAddKernelNode(&kernelNode, graph, deps.data(), deps.size(), &kp);
  deps.clear();
  deps.push_back(kernelNode);
  size_t nb = blocks;
  void* args2[3] = {(void*)&dout, (void*)&dres, &nb};
  kp.func = (void*)reduceFinal;
  kp.gridDim = dim3(1, 1, 1);
  kp.kernelParams = args2;
  cudaGraphAddKernelNode(&kernelNode, graph, deps.data(), deps.size(), &kp);
  deps.clear();
  deps.push_back(kernelNode);
  cudaGraphNode_t copyNode;
  cudaGraphAddMemcpyNode1D(&copyNode, graph, deps.data(), 1, &res, dres, 8, cudaMemcpyDeviceToHost);
  deps.clear();
  deps.push_back(copyNode);
  cudaGraphNode_t hostNode;
  cudaHostNodeParams hp = {0};
  hp.fn = myHostNodeCallback;
  callBackData_t cb;
  cb.data = &res;
  cb.fn_name = "graph";
  hp.userData = &cb;
  cudaGraphAddHostNode(&hostNode, graph, deps.data(), deps.size(), &hp);
  cudaGraphNode_t* nodes = NULL;
  size_t num = 0;
  cudaGraphGetNodes(graph, nodes, &num);
  printf("nodes %zu\n", num);
  cudaGraphExec_t exec, cexec;
  cudaGraphInstantiate(&exec, graph, NULL, NULL, 0);
  cudaGraphClone(&clone, graph);
  cudaGraphInstantiate(&cexec, clone, NULL, NULL, 0);
  for (int i = 0; i < 2; ++i) cudaGraphLaunch(exec, s);
  cudaStreamSynchronize(s);
  cudaGraphLaunch(cexec, s);
  cudaStreamSynchronize(s);
  cudaGraphExecDestroy(exec);
  cudaGraphExecDestroy(cexec);
  cudaGraphDestroy(graph);
  cudaGraphDestroy(clone);
  cudaStreamDestroy(s);
  cudaFree(d);
  cudaFree(dout);
  cudaFree(dres);
  cudaFreeHost(h);
}
