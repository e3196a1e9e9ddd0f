// Ranges and marks for a profiler, which is not there: the program runs as without them.
// prints: 7, not tracked
#include <nvtx3/nvToolsExt.h>

#include <cstdio>

__global__ void store(int* to, int value) { *to = value; }

int main() {
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.colorType = NVTX_COLOR_ARGB;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = "copy";
  const nvtxRangeId_t whole = nvtxRangeStart("whole");
  const int level = nvtxRangePushA("launch");
  int *value, result;
  cudaMalloc(&value, sizeof(int));
  store<<<1, 1>>>(value, 7);
  nvtxRangePop();
  nvtxRangePushEx(&attributes);
  cudaMemcpy(&result, value, sizeof result, cudaMemcpyDeviceToHost);
  nvtxMark("copied");
  nvtxRangePop();
  cudaFree(value);
  nvtxRangeEnd(whole);
  printf("%d, %s\n", result, level == NVTX_NO_PUSH_POP_TRACKING ? "not tracked" : "tracked");
}
