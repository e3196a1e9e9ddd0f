// Spans of GPU work, for td::cuda::stream_span: an event before it and one after it give the times.
// Events only have times relative to each other, so each device has one event whose time on the
// host's clock is known. Their resolution is half a microsecond.
// Invariant: work of one stream is queued by one traced call at a time, so that its spans never
// partly overlap.
//
// The spans of programs are also NVTX ranges, which NVIDIA's profilers (nsys, ncu) draw next to
// their own data: `nsys profile ./ch04_training_loop`, `ncu --nvtx ...`. Needs no --trace.
#include <cuda_runtime.h>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define TD_HAS_NVTX 1
#endif

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "td/backends/cuda/cuda.h"
#include "trace/recorder.h"

namespace td::cuda {
namespace {

constexpr std::size_t kMostPending = 8192;          // two events each
constexpr std::int64_t kAnchorAge = 1'000'000'000;  // ns; float milliseconds lose precision

/// An event, and when it happened on the host's clock.
struct Anchor {
  cudaEvent_t event = nullptr;
  std::int64_t time = 0;
};

/// Work whose events may not have happened yet.
struct Pending {
  trace::SpanRecord span;
  std::uint32_t engine_track;  // 0: no copy engine is used
  int device;
  cudaStream_t stream;
  Anchor anchor;
  cudaEvent_t begin, end;
};

struct Tracer {
  std::mutex mutex;
  std::vector<Pending> pending;
  std::size_t most_pending = kMostPending;     // before done ones are collected
  std::vector<cudaEvent_t> idle[kMaxDevices];  // events to use again
  Anchor anchors[kMaxDevices];
  cudaStream_t own_streams[kMaxDevices] = {};
  std::map<std::pair<int, cudaStream_t>, std::uint32_t> tracks;
  int streams[kMaxDevices] = {};                // that have tracks
  std::map<std::uint32_t, std::int64_t> ended;  // per track, when its last span ended
};

// Never destroyed, because the events belong to a driver that may end before this library.
Tracer& tracer() {
  static auto& instance = *new Tracer;
  return instance;
}

// A failure here is not an error of the program: the span is left out of the trace.
bool worked(cudaError_t error) {
  if (error != cudaSuccess) cudaGetLastError();
  return error == cudaSuccess;
}

cudaEvent_t take_event(Tracer& all, int device) {
  if (!all.idle[device].empty()) {
    const cudaEvent_t event = all.idle[device].back();
    all.idle[device].pop_back();
    return event;
  }
  cudaEvent_t event = nullptr;
  return worked(cudaEventCreate(&event)) ? event : nullptr;
}

/// An event of the device that is not much older than a second. Its stream has no other work, so
/// the host sees immediately when it happens.
Anchor anchor_of(Tracer& all, int device) {
  Anchor& anchor = all.anchors[device];
  if (anchor.event && trace::now() - anchor.time < kAnchorAge) return anchor;
  cudaStream_t& own = all.own_streams[device];
  if (!own && !worked(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking))) return {};
  Anchor made;
  if (!worked(cudaEventCreate(&made.event))) return {};
  if (!worked(cudaEventRecord(made.event, own)) || !worked(cudaEventSynchronize(made.event)))
    return {};
  made.time = trace::now();
  return anchor = made;  // pending work still needs the old one
}

/// A stream that runs collectives gets the name of the communication track.
std::uint32_t track_of(Tracer& all, int device, cudaStream_t stream, trace::Category category) {
  std::uint32_t& track = all.tracks[{device, stream}];
  if (track == 0) {
    const int number = all.streams[device]++;
    std::string name = stream ? "stream " : "default stream";
    if (stream) name += std::to_string(number);
    if (category == trace::Category::kCollective) name += ", collectives";
    track = trace::add_track(
        {trace::TrackKind::kStream, "cuda:" + std::to_string(device), number, name});
  }
  return track;
}

/// The engine, from the name of a copy: "Memcpy HtoD ...".
std::uint32_t engine_of(const char* copy, int device) {
  static constexpr const char* kDirections[] = {"HtoD", "DtoH", "PtoP"};
  static std::uint32_t tracks[kMaxDevices][std::size(kDirections)] = {};
  const std::string name = copy;
  for (std::size_t i = 0; i < std::size(kDirections); ++i) {
    if (name.find(kDirections[i]) == name.npos) continue;
    if (tracks[device][i] == 0)
      tracks[device][i] =
          trace::add_track({trace::TrackKind::kEngine, "cuda:" + std::to_string(device),
                            static_cast<int>(i), std::string("copy engine ") + kDirections[i]});
    return tracks[device][i];
  }
  return 0;
}

/// Nanoseconds of the host's clock.
bool time_of(const Anchor& anchor, cudaEvent_t event, std::int64_t& time) {
  float milliseconds = 0;
  if (!worked(cudaEventElapsedTime(&milliseconds, anchor.event, event))) return false;
  time = anchor.time + static_cast<std::int64_t>(1e6 * static_cast<double>(milliseconds));
  return true;
}

/// Keeps the span of work that is done. Needs the tracer's mutex.
void keep(Tracer& all, const Pending& one) {
  trace::SpanRecord span = one.span;
  const auto keep_on = [&](std::uint32_t track, trace::Category category) {
    std::int64_t& ended = all.ended[track];  // events are coarser than the gaps between them
    span.track = track;
    span.category = category;
    span.begin = std::max(span.begin, ended);
    ended = span.end = std::max(span.begin, span.end);
    trace::keep(span);
  };
  if (time_of(one.anchor, one.begin, span.begin) && time_of(one.anchor, one.end, span.end)) {
    keep_on(span.track, span.category);
    if (one.engine_track != 0) keep_on(one.engine_track, trace::Category::kEngine);
  }
  all.idle[one.device].insert(all.idle[one.device].end(), {one.begin, one.end});
}

/// Keeps finished work, so that a long trace does not accumulate events. Needs the tracer's mutex.
void keep_done(Tracer& all) {
  std::vector<Pending> waiting;
  for (const Pending& one : all.pending) {
    if (worked(cudaEventQuery(one.end)))
      keep(all, one);
    else
      waiting.push_back(one);
  }
  all.pending = std::move(waiting);
  all.most_pending = std::max(kMostPending, 2 * all.pending.size());
}

/// Keeps all. The mutex is free during the waits, because pending work may need other threads, such
/// as a collective's other ranks.
void keep_all() {
  Tracer& all = tracer();
  std::vector<Pending> taken;
  {
    const std::lock_guard lock(all.mutex);
    taken.swap(all.pending);
  }
  if (taken.empty() || !try_use_device(taken.front().device)) return;
  for (const Pending& one : taken) worked(cudaEventSynchronize(one.end));
  const std::lock_guard lock(all.mutex);
  for (const Pending& one : taken) keep(all, one);
}

// Events recorded while a graph is captured would become a part of it.
bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return !worked(cudaStreamIsCapturing(stream, &status)) || status != cudaStreamCaptureStatusNone;
}

/// Records an event before the work is queued on the stream; nothing if that fails. Needs the
/// tracer's mutex.
std::optional<Pending> open(Tracer& all, trace::SpanRecord span, int device, void* native) {
  static const bool registered = (trace::at_stop(keep_all), true);
  static_cast<void>(registered);
  const auto stream = static_cast<cudaStream_t>(native);
  if (is_capturing(stream)) return std::nullopt;
  if (all.pending.size() >= all.most_pending) keep_done(all);
  const Anchor anchor = anchor_of(all, device);
  const cudaEvent_t begin = take_event(all, device), end = take_event(all, device);
  if (!anchor.event || !begin || !end || !worked(cudaEventRecord(begin, stream)))
    return std::nullopt;
  span.track = track_of(all, device, stream, span.category);
  const bool copies = span.category == trace::Category::kCopy;
  const std::uint32_t engine_track = copies ? engine_of(span.name, device) : 0;
  return Pending{span, engine_track, device, stream, anchor, begin, end};
}

/// Records an event after the work. Needs the tracer's mutex.
void close(Tracer& all, const Pending& one) {
  if (worked(cudaEventRecord(one.end, one.stream))) all.pending.push_back(one);
}

/// One span of a stream, and that of the host's part. Unless it `waits`, no other thread queues
/// traced work meanwhile.
class StreamSpan {
 public:
  StreamSpan(trace::SpanRecord span, int device, void* stream, bool waits)
      : correlation_(trace::next_correlation()),
        launch_({0, correlation_}, span.name, trace::Category::kLaunch),
        lock_(tracer().mutex, std::defer_lock) {
    span.correlation = correlation_;
    use_device(device);
    lock_.lock();
    pending_ = open(tracer(), span, device, stream);
    if (waits || !pending_) lock_.unlock();
  }
  ~StreamSpan() {
    if (!pending_) return;
    if (!lock_) lock_.lock();
    close(tracer(), *pending_);
  }
  StreamSpan(const StreamSpan&) = delete;
  StreamSpan& operator=(const StreamSpan&) = delete;

 private:
  const std::uint32_t correlation_;
  const trace::TargetSpan launch_;
  std::unique_lock<std::mutex> lock_;
  std::optional<Pending> pending_;
};

[[maybe_unused]] const bool kTimes = [] {
  stream_timer = [](const trace::SpanRecord& span, int device, void* stream,
                    bool waits) -> std::shared_ptr<void> {
    return std::make_shared<StreamSpan>(span, device, stream, waits);
  };
  return true;
}();

#ifdef TD_HAS_NVTX
// A separate domain, so that a tool can distinguish td's ranges from those of libraries.
nvtxDomainHandle_t domain() {
  static const nvtxDomainHandle_t handle = nvtxDomainCreateA("todevice");
  return handle;
}

void begin_range(const char* name) {
  nvtxEventAttributes_t range{};
  range.version = NVTX_VERSION;
  range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  range.messageType = NVTX_MESSAGE_TYPE_ASCII;
  range.message.ascii = name;
  nvtxDomainRangePushEx(domain(), &range);
}

void end_range() { nvtxDomainRangePop(domain()); }

const trace::Listener kRanges{begin_range, end_range};

// Whether a tool has attached to NVTX; without one, each span would call NVTX for nothing. A tool
// that attaches later sees no ranges.
[[maybe_unused]] const bool kListens = [] {
  const bool tool = std::getenv("NVTX_INJECTION64_PATH") != nullptr;
  if (tool) trace::set_listener(&kRanges);
  return tool;
}();
#endif

}  // namespace

}  // namespace td::cuda
