// The calls about streams, events and host functions. Invariant: a handle that a call takes lives,
// or the call returns cudaErrorInvalidResourceHandle.
#include "cuda/graph.h"
#include "cuda/report.h"
#include "cuda/state.h"

namespace td::cudart {
namespace {

Stream& stream_of_thread(State& all) {
  thread_local Stream* streams[kMostDevices] = {};
  Stream*& stream = streams[thread.device];
  if (!stream) {
    stream = new Stream{thread.device};
    stream->number = ++all.streams;
    all.devices[thread.device].streams.insert(stream);
  }
  return *stream;
}

Event* find_event(const State& all, cudaEvent_t handle) {
  return all.events.count(handle) ? reinterpret_cast<Event*>(handle) : nullptr;
}

cudaError_t make_stream(const Call& call, cudaStream_t* made, unsigned flags, int priority) {
  return run_call(call, [&](State& all, Lock&) {
    if (!made || flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
    auto* const stream = new Stream{thread.device, priority, flags};
    stream->number = ++all.streams;
    all.devices[thread.device].streams.insert(stream);
    *made = reinterpret_cast<cudaStream_t>(stream);
    return cudaSuccess;
  });
}

template <class Body>
cudaError_t with_stream(const Call& call, cudaStream_t handle, Body body) {
  return run_call(call, [&](State& all, Lock& lock) -> cudaError_t {
    Stream* const stream = find_stream(all, handle);
    return stream ? body(all, *stream, lock) : cudaErrorInvalidResourceHandle;
  });
}
template <class Body>
cudaError_t with_event(const Call& call, cudaEvent_t handle, Body body) {
  return run_call(call, [&](State& all, Lock& lock) -> cudaError_t {
    Event* const event = find_event(all, handle);
    return event ? body(all, *event, lock) : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t record(State& all, Event& event, Stream& stream) {
  if (event.device != stream.device) return cudaErrorInvalidResourceHandle;
  event.capture = stream.capture;
  event.record = nullptr;
  if (stream.capture)
    event.nodes = stream.capture->tips[&stream];
  else
    event.record = enqueue(all, stream, nullptr);
  return cudaSuccess;
}

cudaError_t wait(State& all, Stream& stream, const Event& event) {
  if (event.capture) {  // the stream joins the capture
    if (stream.capture && stream.capture != event.capture) return cudaErrorStreamCaptureMerge;
    stream.capture = event.capture;
    std::vector<Node*>& tips = stream.capture->tips[&stream];
    tips.insert(tips.end(), event.nodes.begin(), event.nodes.end());
    return cudaSuccess;
  }
  if (!event.record) return cudaSuccess;
  if (stream.capture) return event.record->is_done ? cudaSuccess : cudaErrorStreamCaptureIsolation;
  stream.clock.join(event.record->clock);
  const OperationPtr operation = enqueue(all, stream, nullptr);
  operation->after.push_back(event.record);
  return cudaSuccess;
}

}  // namespace

Stream* find_stream(State& all, cudaStream_t handle) {
  if (!handle || handle == cudaStreamLegacy) return &all.devices[thread.device].default_stream;
  if (handle == cudaStreamPerThread) return &stream_of_thread(all);
  auto* const stream = reinterpret_cast<Stream*>(handle);
  for (Device& device : all.devices)
    if (device.streams.count(stream)) return stream;
  return nullptr;
}

}  // namespace td::cudart

using namespace td::cudart;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return make_stream({"cudaStreamCreate", TD_CUDA_CALLER}, stream, 0, 0);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return make_stream({"cudaStreamCreateWithFlags", TD_CUDA_CALLER}, stream, flags, 0);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return make_stream({"cudaStreamCreateWithPriority", TD_CUDA_CALLER}, stream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return with_stream({"cudaStreamDestroy", TD_CUDA_CALLER}, handle,
                     [](State& all, Stream& stream, Lock&) {
                       if (stream.is_default) return cudaErrorInvalidResourceHandle;
                       all.devices[stream.device].streams.erase(&stream);
                       // The default stream still comes after its work.
                       if (!(stream.flags & cudaStreamNonBlocking) && stream.last)
                         enqueue(all, all.devices[stream.device].default_stream, nullptr)
                             ->after.push_back(stream.last);
                       return cudaSuccess;
                     });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return with_stream({"cudaStreamSynchronize", TD_CUDA_CALLER}, handle,
                     [](State& all, Stream& stream, Lock& lock) -> cudaError_t {
                       if (stream.capture) return cudaErrorStreamCaptureUnsupported;
                       const int device = stream.device;
                       wait_for(all, OperationPtr(stream.last), lock);
                       return all.devices[device].error;
                     });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return with_stream({"cudaStreamQuery", TD_CUDA_CALLER}, handle,
                     [](State& all, Stream& stream, Lock& lock) -> cudaError_t {
                       if (stream.capture) return cudaErrorStreamCaptureUnsupported;
                       if (!stream.last || stream.last->is_done) {
                         if (stream.last) know(all, stream.last->clock);
                         return all.devices[stream.device].error;
                       }
                       // A loop that asks lets the work go on, in any order.
                       if (all.is_reversed) wait_for(all, OperationPtr(stream.last), lock);
                       return cudaErrorNotReady;
                     });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned) {
  return with_stream({"cudaStreamWaitEvent", TD_CUDA_CALLER}, handle,
                     [&](State& all, Stream& stream, Lock&) -> cudaError_t {
                       const Event* const found = find_event(all, event);
                       return found ? wait(all, stream, *found) : cudaErrorInvalidResourceHandle;
                     });
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void* data,
                                  unsigned) {
  return with_stream({"cudaStreamAddCallback", TD_CUDA_CALLER}, handle,
                     [&](State& all, Stream& stream, Lock&) -> cudaError_t {
                       if (stream.capture) return cudaErrorStreamCaptureUnsupported;
                       enqueue(all, stream, [=] { callback(handle, cudaSuccess, data); });
                       return cudaSuccess;
                     });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  return with_stream({"cudaLaunchHostFunc", TD_CUDA_CALLER}, handle,
                     [&](State& all, Stream& stream, Lock&) {
                       enqueue(all, stream, [=] { function(data); });
                       return cudaSuccess;
                     });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  return with_stream({"cudaStreamGetFlags", TD_CUDA_CALLER}, handle,
                     [&](State&, Stream& stream, Lock&) {
                       *flags = stream.flags;
                       return cudaSuccess;
                     });
}
cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return with_stream({"cudaStreamGetPriority", TD_CUDA_CALLER}, handle,
                     [&](State&, Stream& stream, Lock&) {
                       *priority = stream.priority;
                       return cudaSuccess;
                     });
}

/// Hints for a cache, and a priority, change no result.
cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaLaunchAttributeID,
                                   const cudaLaunchAttributeValue*) {
  return with_stream({"cudaStreamSetAttribute", TD_CUDA_CALLER}, handle,
                     [](State&, Stream&, Lock&) { return cudaSuccess; });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* made, unsigned flags) {
  return run_call({"cudaEventCreate", TD_CUDA_CALLER}, [&](State& all, Lock&) {
    auto* const event = new Event{thread.device, flags};
    all.events.insert(event);
    *made = reinterpret_cast<cudaEvent_t>(event);
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  return with_event({"cudaEventDestroy", TD_CUDA_CALLER}, handle,
                    [&](State& all, Event& event, Lock&) {
                      all.events.erase(handle);
                      delete &event;
                      return cudaSuccess;
                    });
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream) {
  return with_event({"cudaEventRecord", TD_CUDA_CALLER}, handle,
                    [&](State& all, Event& event, Lock&) -> cudaError_t {
                      Stream* const found = find_stream(all, stream);
                      return found ? record(all, event, *found) : cudaErrorInvalidResourceHandle;
                    });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return with_event({"cudaEventSynchronize", TD_CUDA_CALLER}, handle,
                    [](State& all, Event& event, Lock& lock) -> cudaError_t {
                      if (event.capture) return cudaErrorCapturedEvent;
                      const int device = event.device;
                      wait_for(all, OperationPtr(event.record), lock);
                      return all.devices[device].error;
                    });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return with_event({"cudaEventQuery", TD_CUDA_CALLER}, handle,
                    [](State& all, Event& event, Lock& lock) -> cudaError_t {
                      if (event.capture) return cudaErrorCapturedEvent;
                      if (!event.record || event.record->is_done) {
                        if (event.record) know(all, event.record->clock);
                        return all.devices[event.device].error;
                      }
                      if (all.is_reversed) wait_for(all, OperationPtr(event.record), lock);
                      return cudaErrorNotReady;
                    });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  return with_event(
      {"cudaEventElapsedTime", TD_CUDA_CALLER}, from,
      [&](State& all, Event& begin, Lock&) -> cudaError_t {
        const Event* const end = find_event(all, to);
        if (!end || !begin.record || !end->record ||
            (begin.flags | end->flags) & cudaEventDisableTiming)
          return cudaErrorInvalidResourceHandle;
        if (!begin.record->is_done || !end->record->is_done) return cudaErrorNotReady;
        *milliseconds = static_cast<float>(end->record->milliseconds - begin.record->milliseconds);
        return cudaSuccess;
      });
}

}  // extern "C"
