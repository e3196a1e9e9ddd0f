// The ring and the thread of a stream. The ring holds bytes, not records: a record has room for 2
// KiB of arguments but uses a tenth of it, and short entries are cheaper to move to another core.
// Invariant: host threads write the ring one at a time, with submitting_ held.
#include "sim/stream_queue.h"

#include <pthread.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "sim/capture.h"
#include "sim/settings.h"
#include "td/base/error.h"
#include "td/base/parallel.h"
#include "td/device/graph.h"
#include "trace/recorder.h"

namespace td::sim {
namespace {

constexpr std::size_t kRing = std::size_t{256} << 10;  // about 1000 usual launches

thread_local StreamQueue* queue_of_thread = nullptr;

}  // namespace

/// The head of an entry in the ring, before its argument. A null `run` fills the end of the ring.
struct alignas(16) StreamQueue::Entry {
  const char* name;
  void (*run)(const void*);
  std::uint32_t bytes;        ///< of head and work, a multiple of 16
  std::uint32_t correlation;  ///< of traces
  bool always;
  const void* work() const { return this + 1; }
};

StreamQueue::StreamQueue(int index, int number)
    : index_(index),
      number_(number),
      name_("sim:" + std::to_string(index) + '.' + std::to_string(number)),
      track_(trace::add_track({trace::TrackKind::kStream, "sim:" + std::to_string(index), number,
                               "stream " + std::to_string(number)})),
      ring_(new char[kRing]),
      thread_([this] { loop(); }) {}

void StreamQueue::submit(const Item& item) {
  if (is_captured()) [[unlikely]] {
    std::lock_guard lock(submitting_);
    if (Capture* capture = capture_) return capture->add(*this, item);
  }
  push(item);
}

std::size_t StreamQueue::entry_bytes(const Item& item) {
  return (sizeof(Entry) + item.bytes + 15) / 16 * 16;
}

void StreamQueue::write(char* place, const Item& item, std::uint32_t correlation) {
  new (place) Entry{item.name, item.run, static_cast<std::uint32_t>(entry_bytes(item)), correlation,
                    item.always};
  std::memcpy(place + sizeof(Entry), item.work, item.bytes);
}

void StreamQueue::push(const Item& item) {
  const std::size_t needed = entry_bytes(item);
  const std::uint32_t correlation = trace::is_on() ? trace::next_correlation() : 0;
  const trace::TargetSpan span({0, correlation}, item.name, trace::Category::kLaunch);
  std::unique_lock lock(submitting_);
  if (closed_) {  // the process is ending: events must still be set, kernels are dropped
    if (item.always) item.run(item.work);
    return;
  }
  write(room_for(needed), item, correlation);
  written_.fetch_add(needed, std::memory_order_release);
  pushes_.fetch_add(1, std::memory_order_release);
  pushes_.notify_one();
}

/// Returns contiguous room for an entry of `needed` bytes; blocks while the ring is full.
char* StreamQueue::room_for(std::size_t needed) {
  for (;;) {
    const std::uint32_t seen = pops_.load(std::memory_order_acquire);
    const std::uint64_t at = written_.load(std::memory_order_relaxed);
    const std::size_t used = at - finished_.load(std::memory_order_acquire);
    const std::size_t place = at % kRing, to_end = kRing - place;
    const std::size_t wanted = needed <= to_end ? needed : to_end;
    if (used + wanted > kRing) {
      wait_while(pops_, seen);
    } else if (wanted == needed) {
      return ring_.get() + place;
    } else {
      // Too little room before the end. Every entry is a multiple of 16 and a head takes 32, so the
      // filler may be a bare mark of 16 bytes: a null `run` after a name.
      std::memset(ring_.get() + place, 0, 16);
      written_.fetch_add(to_end, std::memory_order_release);
    }
  }
}

void StreamQueue::loop() {
  pthread_setname_np(pthread_self(), name_.c_str());
  queue_of_thread = this;
  prctl(PR_SET_TIMERSLACK, 1);  // the link's sleeps are short; the usual 50 us would be visible
  // OMP_NUM_THREADS, which sets the first width, may be less than the share.
  set_parallel_width(
      std::min(parallel_width(), core_count() / std::max(1, settings().devices.load())));
  for (;;) {
    const std::uint32_t seen = pushes_.load(std::memory_order_acquire);
    const std::uint64_t at = finished_.load(std::memory_order_relaxed);
    if (at == written_.load(std::memory_order_acquire)) {
      if (stopping_) {
        std::lock_guard lock(submitting_);
        if (at != written_.load(std::memory_order_acquire)) continue;
        closed_ = true;
        return;
      }
      wait_while(pushes_, seen);
      continue;
    }
    const std::size_t place = at % kRing;
    const Entry& entry = *reinterpret_cast<const Entry*>(ring_.get() + place);
    running_to_ = at + (entry.run ? entry.bytes : kRing - place);
    if (entry.run) run(entry);
    done_.store(running_to_, std::memory_order_release);
    finished_.store(running_to_, std::memory_order_release);
    pops_.fetch_add(1, std::memory_order_release);
    pops_.notify_one();
  }
}

bool StreamQueue::working() const {
  return !failure_ && !stopping_.load(std::memory_order_relaxed);
}

void StreamQueue::run(const Entry& entry) {
  if (!entry.always && !working()) return;
  running_ = entry.name;
  if (entry.correlation != 0) correlation_ = entry.correlation;  // in a graph: that of its launch
  // Copies, which always run, have their own spans.
  const trace::TargetSpan span(place(), entry.always ? "" : entry.name, trace::Category::kKernel);
  try {
    entry.run(entry.work());
  } catch (const std::exception& error) {
    fail(error.what());
  } catch (...) {
    fail("it threw something that is no std::exception");
  }
}

StreamQueue* StreamQueue::of_this_thread() { return queue_of_thread; }

void StreamQueue::run_entries(const std::vector<char>& entries) {
  for (const char *at = entries.data(), *end = at + entries.size(); at != end;) {
    const Entry& entry = *reinterpret_cast<const Entry*>(at);
    run(entry);
    at += entry.bytes;
  }
}

void StreamQueue::append(std::vector<char>& entries, const Item& item) {
  const std::size_t at = entries.size();
  entries.resize(at + entry_bytes(item));
  write(entries.data() + at, item, 0);
}

void StreamQueue::capture_into(Capture* capture) {
  std::lock_guard lock(submitting_);
  capture_ = capture;
}

void StreamQueue::fail(const char* what) {
  const std::string text = what;
  fail_with(std::make_shared<const std::string>(
      std::string(running_) + " failed on sim:" + std::to_string(index_) + ": " + text +
      (text.ends_with('.') ? "" : ".") +
      " It was queued earlier and runs beside the host, so the error appears only now; what was "
      "queued behind it was not run."));
}

intrusive_ptr<EventState> StreamQueue::record_state(bool report) {
  auto state = make_intrusive<EventState>();
  state->retain();  // for the entry
  const auto set = [this, state = state.get(), report] {
    done_.store(running_to_, std::memory_order_release);  // before a waiting thread continues
    state->set(failure_);
    state->release();
    if (report) failure_.reset();
  };
  push(item_of("", set, true));
  return state;
}

intrusive_ptr<EventState> StreamQueue::record_event() {
  if (is_captured()) [[unlikely]] {
    std::lock_guard lock(submitting_);
    if (Capture* capture = capture_) return capture->record_state(*this);
  }
  return record_state();
}

void StreamQueue::wait_for(const intrusive_ptr<EventState>& state) {
  if (state && (state->captured() || is_captured())) return wait_in_capture(*this, *state);
  if (!state || (state->done() && !state->failure())) return;
  state->retain();
  const auto wait = [this, state = state.get()] {
    const trace::TargetSpan span(place(), state->done() ? "" : "Stream Wait Event",
                                 trace::Category::kWait);
    state->wait();
    fail_with(state->failure());
    state->release();
  };
  push(item_of("", wait, true));
}

void StreamQueue::synchronize() {
  if (is_captured()) refuse_captured_stream(kSIM, index());
  const trace::Span span("Stream Synchronize", trace::Category::kWait);
  const auto state = record_state(true);
  state->wait();
  throw_failure(*state);
}

bool StreamQueue::idle() const {
  return done_.load(std::memory_order_acquire) == written_.load(std::memory_order_acquire);
}

void StreamQueue::begin_stop() {
  stopping_ = true;
  pushes_.fetch_add(1, std::memory_order_release);
  pushes_.notify_one();
}

void StreamQueue::finish_stop() {
  if (thread_.joinable()) thread_.join();
}

void throw_failure(const EventState& state) {
  if (state.failure()) throw AsyncError(*state.failure());
}

}  // namespace td::sim
