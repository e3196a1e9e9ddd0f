// Where spans go: every thread has a ring of its own. It writes, stop() reads, and neither waits
// for the other. Invariant: of a ring's two counters the thread changes `written`, and whoever
// holds the recorder's mutex changes `taken`.
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

constexpr std::size_t kMostSpans = std::size_t{1} << 20;  // pages are real only where written

/// The spans of one thread.
struct Ring {
  // No initial values: a page of memory nobody writes costs nothing.
  std::unique_ptr<SpanRecord[]> spans{new SpanRecord[kMostSpans]};
  std::uint32_t row = 0;
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
  std::map<std::uint32_t, Row> rows;
  std::uint32_t last_row = 0;
  std::vector<void (*)()> stop_functions;
  std::vector<Start> starts;  // recordings that go on, the innermost last
  int rank = -1;
};

// Never destroyed: threads may outlive main.
Recorder& recorder() {
  static auto& instance = *new Recorder;
  return instance;
}

std::uint32_t add_row_locked(Recorder& all, Row row) {
  all.rows[++all.last_row] = std::move(row);
  return all.last_row;
}

Row row_of_this_thread() {
  const int number = static_cast<int>(gettid());
  char name[16] = "";  // the system's limit
  pthread_getname_np(pthread_self(), name, sizeof name);
  return {RowKind::kThread, "", number, number == getpid() ? "main" : name};
}

Ring* add_ring() {
  Recorder& all = recorder();
  auto ring = std::make_unique<Ring>();
  const std::lock_guard lock(all.mutex);
  ring->row = add_row_locked(all, row_of_this_thread());
  all.rings.push_back(std::move(ring));
  return all.rings.back().get();
}

thread_local constinit Ring* ring_of_thread = nullptr;
thread_local constinit bool thread_ends = false;
struct Farewell {
  ~Farewell() {
    thread_ends = true;
    if (ring_of_thread) ring_of_thread->thread_ended.store(true, std::memory_order_release);
    ring_of_thread = nullptr;
  }
};

/// nullptr in the last moments of a thread, when nothing may be made any more.
Ring* this_ring() {
  if (ring_of_thread) [[likely]]
    return ring_of_thread;
  if (thread_ends) return nullptr;
  thread_local Farewell farewell;
  static_cast<void>(farewell);
  return ring_of_thread = add_ring();
}

/// Forgets what the rings hold, and the rings of threads that are gone.
void empty_rings(Recorder& all) {
  const auto gone = [&](const std::unique_ptr<Ring>& ring) {
    if (!ring->thread_ended.load(std::memory_order_acquire)) return false;
    all.rows.erase(ring->row);
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

bool drawn_before(const Row& a, const Row& b) {
  if (a.device != b.device) return a.device < b.device;
  if (a.kind != b.kind) return a.kind < b.kind;
  return a.number < b.number;
}

/// Gives the trace the rows its spans use, and the spans the places of their rows there.
void number_rows(const std::map<std::uint32_t, Row>& all, Trace& trace) {
  std::map<std::uint32_t, std::uint32_t> place;
  for (const SpanRecord& span : trace.spans) place.emplace(span.row, 0);
  std::vector<std::uint32_t> used;
  for (const auto& [row, unused] : place) used.push_back(row);
  std::stable_sort(used.begin(), used.end(), [&](std::uint32_t a, std::uint32_t b) {
    return drawn_before(all.at(a), all.at(b));
  });
  for (std::size_t i = 0; i < used.size(); ++i) {
    place[used[i]] = static_cast<std::uint32_t>(i);
    trace.rows.push_back(all.at(used[i]));
  }
  for (SpanRecord& span : trace.spans) span.row = place[span.row];
}

const Listener* listener = nullptr;

}  // namespace

std::uint32_t add_row(Row row) {
  Recorder& all = recorder();
  const std::lock_guard lock(all.mutex);
  return add_row_locked(all, std::move(row));
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
  if (kept.row == 0) kept.row = ring->row;
  ring->written.store(at + 1, std::memory_order_release);
}

void Span::open(Place place, const char* name, Category category, std::uint64_t bytes) {
  if (!*name) return;
  opened_ = detail::state.load(std::memory_order_relaxed);
  if (place.row != 0 || place.correlation != 0) opened_ &= ~unsigned{detail::kListening};
  if (opened_ & detail::kListening) listener->begin(name);
  record_ = {name, now(), 0, bytes, place.row, place.correlation, category};
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
  number_rows(all.rows, trace);
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
