// The calls about streams and events, and the host's waits. The scheduler runs what they queue.
#include <cmath>

#include "scheduler.h"

namespace cuda_stand_in {

cudaError_t spoil(Capture& capture, cudaError_t error) {
  capture.is_invalid = true;
  return error;
}

namespace {

using Streams = std::vector<Stream*>;

Event& event_of(cudaEvent_t handle) { return *reinterpret_cast<Event*>(handle); }

/// The host may not wait for captured streams, nor query them.
cudaError_t check_not_captured(const Streams& streams) {
  for (Stream* stream : streams)
    if (stream->capture) return spoil(*stream->capture, cudaErrorStreamCaptureUnsupported);
  return cudaSuccess;
}

cudaError_t synchronize(State& all, const Streams& streams, Lock& lock) {
  if (const cudaError_t error = check_not_captured(streams)) return error;
  std::vector<MarkPtr> marks;
  for (const Stream* stream : streams) marks.push_back(mark_here(all, *stream));
  Device& device = all.devices[streams[0]->device];
  wait_for(all, marks, device, lock);
  return pending_error(device);
}

cudaError_t query(State& all, Stream& stream) {
  if (const cudaError_t error = check_not_captured({&stream})) return error;
  if (!stream.queried || stream.queried->ticket != stream.queued)
    stream.queried = mark_here(all, stream);
  return query(all, *stream.queried) ? cudaSuccess : cudaErrorNotReady;
}

/// Nor may it wait for a point of a graph, also after the capture.
cudaError_t check_not_captured(const Event& event) {
  if (!event.capture) return cudaSuccess;
  return event.capture->is_over ? cudaErrorCapturedEvent
                                : spoil(*event.capture, cudaErrorCapturedEvent);
}

cudaError_t synchronize(State& all, Event& event, Lock& lock) {
  if (const cudaError_t error = check_not_captured(event)) return error;
  if (!event.mark) return cudaSuccess;
  Device& device = all.devices[event.device];
  wait_for(all, {event.mark}, device, lock);
  return pending_error(device);
}

/// `stream` waits for an event of a capture, and so is captured too.
cudaError_t join(Stream& stream, const Event& event) {
  Capture& capture = *event.capture;
  if (stream.capture && stream.capture != &capture)
    return spoil(*stream.capture, cudaErrorStreamCaptureMerge);
  if (capture.is_invalid) return cudaErrorStreamCaptureInvalidated;
  stream.capture = &capture;
  Capture::Branch& branch = capture.branches[&stream];
  branch.tips.insert(event.nodes.begin(), event.nodes.end());
  branch.clock.join(event.clock);
  return cudaSuccess;
}

cudaError_t wait(State& all, Stream& stream, const Event& event, Lock& lock) {
  if (event.capture && !event.capture->is_over) return join(stream, event);
  if (event.capture) return cudaErrorCapturedEvent;
  if (!event.mark) return cudaSuccess;
  // A captured stream cannot wait for work from outside of its capture.
  if (stream.capture) return spoil(*stream.capture, cudaErrorStreamCaptureIsolation);
  stream.clock.join(event.mark->clock);
  put(all, stream, {{}, {event.mark}, nullptr}, lock);
  return cudaSuccess;
}

cudaError_t record(State& all, Event& event, Stream& stream, Lock& lock) {
  if (stream.device != event.device) return cudaErrorInvalidResourceHandle;
  if (Capture* const capture = stream.capture) {
    if (capture->is_invalid) return cudaErrorStreamCaptureInvalidated;
    event.mark = nullptr;
    event.capture = capture;
    event.nodes = capture->branches[&stream].tips;
    event.clock = capture->branches[&stream].clock;
    return cudaSuccess;
  }
  event.capture = nullptr;
  event.mark = mark_here(all, stream);
  event.mark->clock.raise(stream.number, ++event.mark->ticket);  // the record itself
  put(all, stream, {{}, {}, event.mark}, lock);
  return cudaSuccess;
}

template <class Body>
cudaError_t call_with_event(const char* name, cudaEvent_t handle, Body body) {
  return call(name, true, [&](State& all, Lock& lock) {
    if (!all.live.count(handle)) return refuse(all, name, "this event does not exist any more");
    return body(all, event_of(handle), lock);
  });
}

cudaError_t make_event(const char* name, cudaEvent_t* made, bool keeps_time) {
  return call(name, true, [&](State& all, Lock&) {
    auto* const event = new Event;
    event->device = thread.device;
    event->keeps_time = keeps_time;
    all.live.insert(event);
    *made = reinterpret_cast<cudaEvent_t>(event);
    return cudaSuccess;
  });
}

cudaError_t make_stream(const char* name, cudaStream_t* made, unsigned flags) {
  return call(name, true, [&](State& all, Lock&) {
    if (flags != cudaStreamNonBlocking)
      return refuse(all, name,
                    "this stream would wait for the default stream, and it for this one");
    auto* const stream = new Stream;
    Streams& others = all.devices[thread.device].streams;
    stream->device = thread.device;
    stream->index = static_cast<unsigned>(others.size());
    stream->number = static_cast<unsigned>(all.streams.size());
    others.push_back(stream);
    all.streams.push_back(stream);
    *made = reinterpret_cast<cudaStream_t>(stream);
    return cudaSuccess;
  });
}

/// Events measure time in steps of half a microsecond.
float milliseconds_between(const Mark& from, const Mark& to) {
  constexpr double kSteps = 2000;
  return static_cast<float>(std::round((to.milliseconds - from.milliseconds) * kSteps) / kSteps);
}

}  // namespace
}  // namespace cuda_stand_in

using namespace cuda_stand_in;

extern "C" {

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call("cudaDeviceGetStreamPriorityRange", true, [&](State&, Lock&) {
    *least = 0, *greatest = -5;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* made, unsigned flags, int) {
  return make_stream("cudaStreamCreateWithPriority", made, flags);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* made, unsigned flags) {
  return make_stream("cudaStreamCreateWithFlags", made, flags);
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return call("cudaStreamQuery", true,
              [&](State& all, Lock&) { return query(all, stream_of(all, handle)); });
}
cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return call("cudaStreamSynchronize", true, [&](State& all, Lock& lock) {
    return synchronize(all, {&stream_of(all, handle)}, lock);
  });
}
cudaError_t cudaDeviceSynchronize() {
  return call("cudaDeviceSynchronize", true, [&](State& all, Lock& lock) {
    return synchronize(all, all.devices[thread.device].streams, lock);
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return call_with_event("cudaStreamWaitEvent", event, [&](State& all, Event& found, Lock& lock) {
    return wait(all, stream_of(all, stream), found, lock);
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* made) { return make_event("cudaEventCreate", made, true); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* made, unsigned flags) {
  return make_event("cudaEventCreateWithFlags", made, !(flags & cudaEventDisableTiming));
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  return call_with_event("cudaEventDestroy", handle, [&](State& all, Event& event, Lock&) {
    all.live.erase(handle);
    event = {};
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call_with_event("cudaEventRecord", event, [&](State& all, Event& found, Lock& lock) {
    return record(all, found, stream_of(all, stream), lock);
  });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return call_with_event("cudaEventQuery", handle, [](State& all, Event& event, Lock&) {
    if (const cudaError_t error = check_not_captured(event)) return error;
    return !event.mark || query(all, *event.mark) ? cudaSuccess : cudaErrorNotReady;
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return call_with_event("cudaEventSynchronize", handle, [](State& all, Event& event, Lock& lock) {
    return synchronize(all, event, lock);
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  return call_with_event("cudaEventElapsedTime", from, [&](State& all, Event& begin, Lock&) {
    const Event& end = event_of(to);
    if (!all.live.count(to) || !begin.mark || !end.mark || !begin.keeps_time || !end.keeps_time ||
        begin.device != end.device)
      return cudaErrorInvalidResourceHandle;
    const bool is_first_done = query(all, *begin.mark), is_last_done = query(all, *end.mark);
    if (!is_first_done || !is_last_done) return cudaErrorNotReady;
    *milliseconds = milliseconds_between(*begin.mark, *end.mark);
    return cudaSuccess;
  });
}

}  // extern "C"
