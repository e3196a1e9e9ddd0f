// Graphs of cuda, for device/graph.cpp: each function is one or two calls of the CUDA runtime. CUDA
// itself follows events from stream to stream while it captures.
// Invariant: every call makes its device current first, and leaves no error unread.
#include <memory>

#include "td/backends/cuda/check.h"
#include "td/base/error.h"
#include "td/device/backend.h"

namespace td::cuda {

std::atomic<int> captures_on[kMaxDevices];

namespace {

class CudaGraphs final : public GraphBackend {
 public:
  // Relaxed, because the other modes forbid cudaMalloc during a capture, to this thread or to all.
  // Here it allocates segments for the graph's pool, and other threads continue to train. Calls
  // that must not be captured are rejected before they reach CUDA (see device/graph.h).
  void begin_capture(int index, NativeStream* stream) override {
    use_device(index);
    ++captures_on[index];
    const cudaError_t begun =
        cudaStreamBeginCapture(stream_of(stream), cudaStreamCaptureModeRelaxed);
    if (begun != cudaSuccess) --captures_on[index];
    check(begun, "beginning a capture", index);
  }

  NativeGraph* end_capture(int index, NativeStream* stream, std::size_t* nodes) override {
    use_device(index);
    cudaGraph_t graph = nullptr;
    const cudaError_t ended = cudaStreamEndCapture(stream_of(stream), &graph);
    --captures_on[index];
    if (ended == cudaErrorStreamCaptureUnjoined) {
      cudaGetLastError();
      fail<DeviceError>("capture_end: a stream joined the capture on cuda:", index,
                        " by waiting for an event, and the captured stream does not wait for its "
                        "last work. Before the end, record an event there and let the captured "
                        "stream wait for it: stream.wait(side).");
    }
    check(ended, "ending a capture", index);
    const auto destroy = [](cudaGraph_t made) { cudaGraphDestroy(made); };
    const std::unique_ptr<CUgraph_st, decltype(destroy)> description(graph, destroy);
    check(cudaGraphGetNodes(graph, nullptr, nodes), "counting what was captured", index);
    cudaGraphExec_t ready = nullptr;
    if (*nodes > 0) check(cudaGraphInstantiate(&ready, graph, 0), "making a graph", index);
    return reinterpret_cast<NativeGraph*>(ready);
  }

  void launch(NativeGraph* graph, int index, NativeStream* stream) override {
    use_device(index);
    check(cudaGraphLaunch(reinterpret_cast<cudaGraphExec_t>(graph), stream_of(stream)),
          "replaying a graph", index);
  }

  void release(NativeGraph* graph, int index) noexcept override {
    if (graph && try_use_device(index))
      succeeded(cudaGraphExecDestroy(reinterpret_cast<cudaGraphExec_t>(graph)));
  }
};

}  // namespace

GraphBackend& graphs() {
  static auto* const instance = new CudaGraphs;  // never destroyed: static graphs outlive main
  return *instance;
}

}  // namespace td::cuda
