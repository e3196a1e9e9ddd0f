// Stores spans: every thread writes its own ring, and stop() reads it without blocking the thread.
// Invariant: only the thread changes a ring's `written`; `taken` is guarded by the recorder's
// mutex.
#include "trace/recorder.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

namespace td::trace {
namespace {

constexpr std::size_t kMostSpans = std::size_t{1} << 20;  // pages take memory once they are written

/// The spans of one thread.
struct Ring {
  // Uninitialized: a page that is never written takes no memory.
  std::unique_ptr<SpanRecord[]> spans{new SpanRecord[kMostSpans]};
  std::uint32_t track = 0;
  alignas(64) std::atomic<std::uint64_t> written{0};
  std::atomic<std::uint64_t> dropped{0};
  alignas(64) std::atomic<std::uint64_t> taken{0};
  std::atomic<bool> thread_ended{false};
};

const Listener* listener = nullptr;

class Sink final : public SpanSink {
 public:
  using SpanSink::SpanSink;
  void open(SpanRecord& span) override {
    if (listener) listener->begin(span.name);
    span.begin = now();
  }
  void close(SpanRecord& span) override {
    if (listener) listener->end();
    if (!records || !is_on()) return;
    span.end = now();
    keep(span);
  }
};

struct Recorder {
  std::mutex mutex;  // guards all of this
  Sink recording{true}, listening{false};
  std::vector<std::unique_ptr<Ring>> rings;
  std::map<std::uint32_t, Track> tracks;
  std::uint32_t last_track = 0;
  std::vector<void (*)()> stop_functions;
  std::vector<Trace> open;  // recordings without their spans, the innermost last
  int rank = -1;

  /// Chooses the receiver of the spans from now on.
  void choose_sink() { span_sink = !open.empty() ? &recording : listener ? &listening : nullptr; }
};

// Never destroyed: threads may outlive main.
Recorder& recorder() {
  static auto& instance = *new Recorder;
  return instance;
}

Ring* add_ring() {
  const int number = static_cast<int>(gettid());
  char name[16] = "";  // the system's limit
  pthread_getname_np(pthread_self(), name, sizeof name);
  auto ring = std::make_unique<Ring>();
  ring->track = add_track({TrackKind::kThread, "", number, number == getpid() ? "main" : name});
  Recorder& all = recorder();
  const std::lock_guard lock(all.mutex);
  all.rings.push_back(std::move(ring));
  return all.rings.back().get();
}

thread_local constinit Ring* ring_of_thread = nullptr;
thread_local constinit bool thread_ends = false;
struct ThreadEnd {
  ~ThreadEnd() {
    thread_ends = true;
    if (ring_of_thread) ring_of_thread->thread_ended.store(true, std::memory_order_release);
    ring_of_thread = nullptr;
  }
};

/// nullptr at the end of a thread, when nothing may be allocated.
Ring* this_ring() {
  if (ring_of_thread) [[likely]]
    return ring_of_thread;
  if (thread_ends) return nullptr;
  thread_local ThreadEnd at_end;
  static_cast<void>(at_end);
  return ring_of_thread = add_ring();
}

/// Empties the rings and removes those of threads that have ended.
void empty_rings(Recorder& all) {
  std::erase_if(all.rings, [&](const std::unique_ptr<Ring>& ring) {
    const bool gone = ring->thread_ended.load(std::memory_order_acquire);
    if (gone) all.tracks.erase(ring->track);
    return gone;
  });
  for (const auto& ring : all.rings) {
    ring->taken.store(ring->written.load(std::memory_order_acquire), std::memory_order_release);
    ring->dropped = 0;
  }
}

void collect(const Ring& ring, Trace& trace) {
  const std::uint64_t end = ring.written.load(std::memory_order_acquire);
  for (std::uint64_t at = ring.taken.load(std::memory_order_relaxed); at < end; ++at) {
    const SpanRecord& span = ring.spans[at % kMostSpans];
    // A span of an earlier recording may end in this one.
    if (span.begin >= trace.begin) trace.spans.push_back(span);
  }
  trace.dropped += ring.dropped.load(std::memory_order_relaxed);
}

/// Gives the trace the tracks that its spans use, and the spans the indices of these tracks.
void number_tracks(const std::map<std::uint32_t, Track>& all, Trace& trace) {
  std::map<std::uint32_t, std::uint32_t> index;
  for (const SpanRecord& span : trace.spans) index[span.track] = 0;
  std::vector<std::uint32_t> used;
  for (const auto& entry : index) used.push_back(entry.first);
  const auto place = [&](std::uint32_t number) {
    const Track& track = all.at(number);
    return std::tie(track.device, track.kind, track.number);
  };
  std::stable_sort(used.begin(), used.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return place(a) < place(b); });
  for (const std::uint32_t number : used) {
    index[number] = static_cast<std::uint32_t>(trace.tracks.size());
    trace.tracks.push_back(all.at(number));
  }
  for (SpanRecord& span : trace.spans) span.track = index[span.track];
}

template <class Clock>
std::int64_t nanoseconds() {
  return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
}

}  // namespace

std::uint32_t add_track(Track track) {
  Recorder& all = recorder();
  const std::lock_guard lock(all.mutex);
  all.tracks[++all.last_track] = std::move(track);
  return all.last_track;
}

void set_listener(const Listener* heard) {
  Recorder& all = recorder();
  const std::lock_guard lock(all.mutex);
  listener = heard;
  all.choose_sink();
}

std::uint32_t next_correlation() {
  static std::atomic<std::uint32_t> last{0};
  std::uint32_t next = 0;
  while (next == 0) next = last.fetch_add(1, std::memory_order_relaxed) + 1;
  return next;
}

std::int64_t now() { return nanoseconds<std::chrono::steady_clock>(); }

void keep(const SpanRecord& span) {
  Ring* ring = this_ring();
  if (!ring) return;
  const std::uint64_t at = ring->written.load(std::memory_order_relaxed);
  if (at - ring->taken.load(std::memory_order_acquire) == kMostSpans) {
    ring->dropped.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  SpanRecord& kept = ring->spans[at % kMostSpans];
  kept = span;
  if (kept.track == 0) kept.track = ring->track;
  ring->written.store(at + 1, std::memory_order_release);
}

void start() {
  Recorder& all = recorder();
  const std::lock_guard lock(all.mutex);
  if (all.open.empty()) empty_rings(all);
  Trace& trace = all.open.emplace_back();
  trace.begin = now();
  trace.unix_begin = nanoseconds<std::chrono::system_clock>();
  all.choose_sink();
}

Trace stop() {
  Recorder& all = recorder();
  std::vector<void (*)()> first;
  {
    const std::lock_guard lock(all.mutex);
    first = all.stop_functions;
  }
  if (is_on())
    for (const auto& f : first) f();
  const std::lock_guard lock(all.mutex);
  if (all.open.empty()) return {};
  Trace trace = std::move(all.open.back());
  all.open.pop_back();
  all.choose_sink();
  trace.rank = all.rank;
  trace.end = now();
  for (const auto& ring : all.rings) collect(*ring, trace);
  std::stable_sort(trace.spans.begin(), trace.spans.end(),
                   [](const SpanRecord& a, const SpanRecord& b) {
                     return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
                   });
  number_tracks(all.tracks, trace);
  if (all.open.empty()) empty_rings(all);
  return trace;
}

void set_rank(int rank) {
  Recorder& all = recorder();
  const std::lock_guard lock(all.mutex);
  all.rank = rank;
}

void at_stop(void (*f)()) {
  Recorder& all = recorder();
  const std::lock_guard lock(all.mutex);
  all.stop_functions.push_back(f);
}

}  // namespace td::trace
