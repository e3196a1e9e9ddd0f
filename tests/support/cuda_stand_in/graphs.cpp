// The stand-in's captures and graphs. A graph runs its nodes in the order of their capture, which
// is one of those that CUDA may choose.
#include "state.h"

using namespace cuda_stand_in;

namespace {

cudaError_t instantiate(State& all, cudaGraphExec_t* made, const Graph& graph) {
  auto* const exec = new Graph(graph);
  all.live.insert(exec);
  *made = reinterpret_cast<cudaGraphExec_t>(exec);
  return cudaSuccess;
}

/// All streams leave the capture, whatever it came to.
cudaError_t end(State& all, Capture& capture, const Stream& last) {
  capture.over = true;
  all.captures.erase(&capture);
  bool joined = true;
  for (Device& device : all.devices)
    for (Stream* stream : device.streams) {
      if (stream->capture != &capture) continue;
      stream->capture = nullptr;
      if (capture.knows[capture.origin][stream] < capture.last[stream]) joined = false;
    }
  if (capture.invalid) return cudaErrorStreamCaptureInvalidated;
  if (&last != capture.origin) return cudaErrorStreamCaptureUnmatched;
  return joined ? cudaSuccess : cudaErrorStreamCaptureUnjoined;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return call("cudaStreamBeginCapture", true, [&](State& all, auto&) {
    if (mode != cudaStreamCaptureModeRelaxed)
      return refuse(all, "cudaStreamBeginCapture", "the core captures in relaxed mode alone");
    if (!handle) return cudaErrorStreamCaptureUnsupported;
    Stream& stream = stream_of(all, handle);
    if (stream.capture) return cudaErrorIllegalState;
    stream.capture = new Capture;  // kept: events may hold it after its end
    stream.capture->origin = &stream;
    all.captures.insert(stream.capture);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return call("cudaStreamIsCapturing", true, [&](State& all, auto&) {
    const Capture* const capture = stream_of(all, handle).capture;
    *status = !capture           ? cudaStreamCaptureStatusNone
              : capture->invalid ? cudaStreamCaptureStatusInvalidated
                                 : cudaStreamCaptureStatusActive;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* made) {
  return call("cudaStreamEndCapture", true, [&](State& all, auto&) {
    *made = nullptr;
    const Stream& stream = stream_of(all, handle);
    if (!stream.capture) return cudaErrorIllegalState;
    Capture& capture = *stream.capture;
    if (const cudaError_t error = end(all, capture, stream)) return error;
    auto* const graph = new Graph{stream.device, std::move(capture.nodes)};
    all.live.insert(graph);
    *made = reinterpret_cast<cudaGraph_t>(graph);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return call("cudaGraphGetNodes", false, [&](State& all, auto&) {
    if (nodes) return refuse(all, "cudaGraphGetNodes", "it only counts");
    *count = reinterpret_cast<Graph*>(graph)->nodes.size();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long) {
  return call("cudaGraphInstantiate", true, [&](State& all, auto&) {
    return instantiate(all, made, *reinterpret_cast<Graph*>(graph));
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle) {
  return call("cudaGraphLaunch", true, [&](State& all, auto& lock) {
    if (!all.live.count(exec)) return cudaErrorInvalidValue;
    const auto& graph = *reinterpret_cast<Graph*>(exec);
    Stream& stream = stream_of(all, handle);
    if (stream.device != graph.device) return cudaErrorInvalidResourceHandle;
    return put(
        stream,
        [&graph] {
          for (const Work& work : graph.nodes) work();
        },
        lock);
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call("cudaGraphDestroy", false, [&](State& all, auto&) {
    if (!all.live.erase(graph)) return cudaErrorInvalidValue;
    delete reinterpret_cast<Graph*>(graph);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return call("cudaGraphExecDestroy", true, [&](State& all, auto&) {
    if (!all.live.erase(exec)) return cudaErrorInvalidValue;
    delete reinterpret_cast<Graph*>(exec);
    return cudaSuccess;
  });
}

}  // extern "C"
