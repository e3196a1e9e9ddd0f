// The stand-in's streams and events, and who waits for whom.
#include <chrono>

#include "state.h"

namespace cuda_stand_in {

Stream& stream_of(State& all, cudaStream_t handle) {
  return handle ? *reinterpret_cast<Stream*>(handle) : all.devices[thread.device].default_stream;
}

cudaError_t spoil(Capture& capture, cudaError_t error) {
  capture.invalid = true;
  return error;
}

cudaError_t put(Stream& stream, Work work, std::unique_lock<std::mutex>& lock) {
  if (Capture* const capture = stream.capture) {
    if (capture->invalid) return cudaErrorStreamCaptureInvalidated;
    capture->nodes.push_back(std::move(work));
    capture->knows[&stream][&stream] = capture->last[&stream] = ++capture->steps;
    return cudaSuccess;
  }
  lock.unlock();
  work();
  lock.lock();
  ++stream.queued;
  if (!stream.held) stream.done = stream.queued;
  return cudaSuccess;
}

namespace {

double now_in_milliseconds() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

Event& event_of(cudaEvent_t handle) { return *reinterpret_cast<Event*>(handle); }

bool has_passed(const Event& event) { return !event.stream || event.ticket <= event.stream->done; }

/// What queued work of the device left behind, told once.
cudaError_t outcome(Device& device) {
  if (device.broken) return device.broken;
  return std::exchange(device.failed_work, cudaSuccess);
}

/// The calls that wait or ask: no stream that they mean may be captured.
cudaError_t wait_for(State& all, const std::set<Stream*>& streams, bool wait,
                     std::unique_lock<std::mutex>& lock) {
  Device& device = all.devices[(*streams.begin())->device];
  for (Stream* stream : streams)
    if (stream->capture) return spoil(*stream->capture, cudaErrorStreamCaptureUnsupported);
  const auto done = [&] {
    for (const Stream* stream : streams)
      if (stream->done < stream->queued && !device.broken) return false;
    return true;
  };
  if (wait) all.changed.wait(lock, done);
  return done() ? outcome(device) : cudaErrorNotReady;
}

/// The calls that wait for an event or ask after it.
cudaError_t wait_for(State& all, Event& event, bool wait, std::unique_lock<std::mutex>& lock) {
  if (event.capture && !event.capture->over) return spoil(*event.capture, cudaErrorCapturedEvent);
  Device& device = all.devices[event.device];
  const auto done = [&] { return has_passed(event) || device.broken; };
  if (wait) all.changed.wait(lock, done);
  return done() ? device.broken : cudaErrorNotReady;
}

/// `stream` waits for an event of a capture, and so is captured too.
cudaError_t join(Stream& stream, const Event& event) {
  Capture& capture = *event.capture;
  if (stream.capture && stream.capture != &capture)
    return spoil(*stream.capture, cudaErrorStreamCaptureMerge);
  if (capture.invalid) return cudaErrorStreamCaptureInvalidated;
  stream.capture = &capture;
  for (const auto& [other, step] : event.knows) {
    int& known = capture.knows[&stream][other];
    known = std::max(known, step);
  }
  return cudaSuccess;
}

template <class Body>
cudaError_t call_with_event(const char* name, cudaEvent_t handle, Body body) {
  return call(name, true, [&](State& all, auto& lock) {
    if (!all.live.count(handle)) return refuse(all, name, "this event does not exist any more");
    return body(all, event_of(handle), lock);
  });
}

cudaError_t make_event(const char* name, cudaEvent_t* made, bool keeps_time) {
  return call(name, true, [&](State& all, auto&) {
    auto* const event = new Event;
    event->device = thread.device;
    event->keeps_time = keeps_time;
    all.live.insert(event);
    *made = reinterpret_cast<cudaEvent_t>(event);
    return cudaSuccess;
  });
}

cudaError_t make_stream(const char* name, cudaStream_t* made, unsigned flags) {
  return call(name, true, [&](State& all, auto&) {
    if (flags != cudaStreamNonBlocking)
      return refuse(all, name,
                    "this stream would wait for the default stream, and it for this one");
    auto* const stream = new Stream;
    stream->device = thread.device;
    all.devices[thread.device].streams.insert(stream);
    *made = reinterpret_cast<cudaStream_t>(stream);
    return cudaSuccess;
  });
}

}  // namespace
}  // namespace cuda_stand_in

using namespace cuda_stand_in;

extern "C" {

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call("cudaDeviceGetStreamPriorityRange", true, [&](State&, auto&) {
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
  return call("cudaStreamQuery", true, [&](State& all, auto& lock) {
    return wait_for(all, {&stream_of(all, handle)}, false, lock);
  });
}
cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return call("cudaStreamSynchronize", true, [&](State& all, auto& lock) {
    return wait_for(all, {&stream_of(all, handle)}, true, lock);
  });
}
cudaError_t cudaDeviceSynchronize() {
  return call("cudaDeviceSynchronize", true, [&](State& all, auto& lock) {
    return wait_for(all, all.devices[thread.device].streams, true, lock);
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned) {
  return call_with_event("cudaStreamWaitEvent", event_handle, [&](State& all, Event& event, auto&) {
    Stream& stream = stream_of(all, handle);
    if (event.capture && !event.capture->over) return join(stream, event);
    // Nothing waits for work from outside of its capture.
    if (stream.capture && event.stream)
      return spoil(*stream.capture, cudaErrorStreamCaptureIsolation);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* made) { return make_event("cudaEventCreate", made, true); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* made, unsigned flags) {
  return make_event("cudaEventCreateWithFlags", made, !(flags & cudaEventDisableTiming));
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  return call_with_event("cudaEventDestroy", handle, [&](State& all, Event&, auto&) {
    all.live.erase(handle);
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event_handle, cudaStream_t handle) {
  return call_with_event("cudaEventRecord", event_handle, [&](State& all, Event& event, auto&) {
    Stream& stream = stream_of(all, handle);
    if (stream.device != event.device) return cudaErrorInvalidResourceHandle;
    if (Capture* const capture = stream.capture) {
      if (capture->invalid) return cudaErrorStreamCaptureInvalidated;
      event.capture = capture;
      event.knows = capture->knows[&stream];
      return cudaSuccess;
    }
    event.capture = nullptr;
    event.stream = &stream;
    event.ticket = ++stream.queued;
    if (!stream.held) stream.done = stream.queued;
    event.milliseconds = now_in_milliseconds();
    return cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return call_with_event("cudaEventQuery", handle, [](State& all, Event& event, auto& lock) {
    return wait_for(all, event, false, lock);
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return call_with_event("cudaEventSynchronize", handle, [](State& all, Event& event, auto& lock) {
    return wait_for(all, event, true, lock);
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  return call_with_event("cudaEventElapsedTime", from, [&](State& all, Event& begin, auto&) {
    const Event& end = event_of(to);
    if (!all.live.count(to) || !begin.stream || !end.stream || !begin.keeps_time ||
        !end.keeps_time || begin.device != end.device)
      return cudaErrorInvalidResourceHandle;
    if (!has_passed(begin) || !has_passed(end)) return cudaErrorNotReady;
    *milliseconds = static_cast<float>(end.milliseconds - begin.milliseconds);
    return cudaSuccess;
  });
}

}  // extern "C"
