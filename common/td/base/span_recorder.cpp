// Stores spans: every thread writes a ring of its own, and stop() reads it without blocking the
// thread. Invariant: the thread alone changes a ring's `written`; `taken` is guarded by the
// recorder's mutex.
#include "td/base/span_recorder.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>

namespace td::trace {

std::atomic<unsigned> detail::state{0};

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

/// A call of start(): nanoseconds of the steady clock, and since 1970.
struct Start {
  std::int64_t begin, unix_begin;
};

struct Recorder {
  std::mutex mutex;  // guards all of this
  std::vector<std::unique_ptr<Ring>> rings;
  std::map<std::uint32_t, Track> tracks;
  std::uint32_t last_track = 0;
  std::vector<void (*)()> stop_functions;
  std::vector<Start> starts;  // open recordings, the innermost last
  int rank = -1;
};

// Never destroyed: threads may outlive main.
Recorder& recorder() {
  static auto& instance = *new Recorder;
  return instance;
}

std::uint32_t add_track_locked(Recorder& all, Track track) {
  all.tracks[++all.last_track] = std::move(track);
  return all.last_track;
}

Track track_of_this_thread() {
  const int number = static_cast<int>(gettid());
  char name[16] = "";  // the system's limit
  pthread_getname_np(pthread_self(), name, sizeof name);
  return {TrackKind::kThread, "", number, number == getpid() ? "main" : name};
}

Ring* add_ring() {
  Recorder& all = recorder();
  auto ring = std::make_unique<Ring>();
  const std::lock_guard lock(all.mutex);
  ring->track = add_track_locked(all, track_of_this_thread());
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
  const auto gone = [&](const std::unique_ptr<Ring>& ring) {
    if (!ring->thread_ended.load(std::memory_order_acquire)) return false;
    all.tracks.erase(ring->track);
    return true;
  };
  all.rings.erase(std::remove_if(all.rings.begin(), all.rings.end(), gone), all.rings.end());
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

bool drawn_before(const Track& a, const Track& b) {
  if (a.device != b.device) return a.device < b.device;
  if (a.kind != b.kind) return a.kind < b.kind;
  return a.number < b.number;
}

/// Gives the trace the tracks that its spans use, and the spans the indices of these tracks.
void number_tracks(const std::map<std::uint32_t, Track>& all, Trace& trace) {
  std::map<std::uint32_t, std::uint32_t> index;
  for (const SpanRecord& span : trace.spans) index.emplace(span.track, 0);
  std::vector<std::uint32_t> used;
  for (const auto& [track, unused] : index) used.push_back(track);
  std::stable_sort(used.begin(), used.end(), [&](std::uint32_t a, std::uint32_t b) {
    return drawn_before(all.at(a), all.at(b));
  });
  for (std::size_t i = 0; i < used.size(); ++i) {
    index[used[i]] = static_cast<std::uint32_t>(i);
    trace.tracks.push_back(all.at(used[i]));
  }
  for (SpanRecord& span : trace.spans) span.track = index[span.track];
}

const Listener* listener = nullptr;

}  // namespace

std::uint32_t add_track(Track track) {
  Recorder& all = recorder();
  const std::lock_guard lock(all.mutex);
  return add_track_locked(all, std::move(track));
}

void set_listener(const Listener* heard) {
  listener = heard;
  if (heard)
    detail::state |= detail::kListening;
  else
    detail::state &= ~unsigned{detail::kListening};
}

std::uint32_t next_correlation() {
  static std::atomic<std::uint32_t> last{0};
  std::uint32_t next = 0;
  while (next == 0) next = last.fetch_add(1, std::memory_order_relaxed) + 1;
  return next;
}

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

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

void Span::open(SpanTarget target, const char* name, Category category, std::uint64_t bytes) {
  if (!*name) return;
  opened_ = detail::state.load(std::memory_order_relaxed);
  if (target.track != 0 || target.correlation != 0) opened_ &= ~unsigned{detail::kListening};
  if (opened_ & detail::kListening) listener->begin(name);
  record_ = {name, now(), 0, bytes, target.track, target.correlation, category};
}

void Span::close() {
  if (opened_ & detail::kListening) listener->end();
  if (!(opened_ & detail::kRecording) || !is_on()) return;
  record_.end = now();
  keep(record_);
}

void start() {
  Recorder& all = recorder();
  const std::lock_guard lock(all.mutex);
  if (all.starts.empty()) empty_rings(all);
  const auto unix_begin = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  all.starts.push_back({now(), unix_begin.count()});
  detail::state |= detail::kRecording;
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
  Trace trace;
  if (all.starts.empty()) return trace;
  trace.begin = all.starts.back().begin;
  trace.unix_begin = all.starts.back().unix_begin;
  all.starts.pop_back();
  if (all.starts.empty()) detail::state &= ~unsigned{detail::kRecording};
  trace.rank = all.rank;
  trace.end = now();
  for (const auto& ring : all.rings) collect(*ring, trace);
  std::stable_sort(trace.spans.begin(), trace.spans.end(),
                   [](const SpanRecord& a, const SpanRecord& b) {
                     return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
                   });
  number_tracks(all.tracks, trace);
  if (all.starts.empty()) empty_rings(all);
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
