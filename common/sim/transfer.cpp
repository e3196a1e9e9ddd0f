// Copies of sim. A device has one copy engine per direction of the link; an engine does one copy at
// a time, concurrently with kernels of other streams. A transfer takes the time that the link's
// settings give, or that of memcpy where that is longer. Threads sleep meanwhile, so that kernels
// can use the cores.
//
// Pinned host memory is copied by the stream's thread, and the call returns immediately. Pageable
// memory could be freed or swapped, so the host thread itself copies it through a bounce buffer and
// blocks: chapter 08 shows this difference.
#include <algorithm>
#include <array>
#include <cstring>
#include <thread>

#include "sim/race_finder.h"
#include "sim/settings.h"
#include "sim/stream_queue.h"
#include "td/base/host_memory.h"
#include "td/device/allocator.h"
#include "td/device/graph.h"
#include "trace/recorder.h"

namespace td::sim {
namespace {

constexpr std::size_t kStaged = 64 << 10;             // up to here a source is copied aside at once
constexpr std::size_t kChunk = std::size_t{1} << 20;  // size of a bounce buffer
constexpr const char* kFromPageable = "Memcpy HtoD (Pageable -> Device)";
constexpr const char* kToPageable = "Memcpy DtoH (Device -> Pageable)";

/// Does one transfer at a time.
struct Engine {
  int number;               // among the engines of a device
  const char* direction;    // as traces have it: HtoD, DtoH, PtoP
  std::mutex mutex{};       // held for the time a transfer takes
  std::uint32_t track = 0;  // of traces; the mutex guards it
};

struct Engines {
  Engine to_device{0, "HtoD"}, from_device{1, "DtoH"}, to_peer{2, "PtoP"};
};

Engines& engines_of(Device device) {
  static auto& all = *new std::array<Engines, kMaxDevices>;
  return all[static_cast<std::size_t>(device.index())];
}

void wait_until(const StreamQueue& queue, Clock::time_point until) {
  constexpr auto kSlice = std::chrono::milliseconds(20);  // so that a process can end in between
  constexpr auto kShort = std::chrono::microseconds(15);  // sleeping takes longer than this
  for (auto now = Clock::now(); now < until && queue.working(); now = Clock::now()) {
    if (until - now > kShort)
      std::this_thread::sleep_for(std::min<Clock::duration>(until - now - kShort / 2, kSlice));
  }
}

/// One transfer, on a stream's thread. `staging` is host memory to release afterwards.
struct Transfer {
  Engine* engine;
  void* to;
  const void* from;
  std::size_t bytes;
  void* staging;
  const char* name;  // of traces

  void operator()() const {
    const StreamQueue* queue =
        StreamQueue::of_this_thread();  // a graph may run it on another stream
    if (queue && queue->working()) engine ? over_link(*queue) : on_device(*queue);
    host_release(staging, bytes);
  }
  void on_device(const StreamQueue& queue) const {
    const trace::TargetSpan span(queue.place(), name, trace::Category::kCopy, bytes);
    std::memmove(to, from, bytes);
  }
  void over_link(const StreamQueue& queue) const {
    const std::lock_guard lock(engine->mutex);
    const trace::TargetSpan span(queue.place(), name, trace::Category::kCopy, bytes);
    const trace::TargetSpan same(place_of_engine(queue), name, trace::Category::kEngine, bytes);
    const Link now = link();
    const auto begin = Clock::now();
    const auto when_there = [&](std::size_t count) {
      const std::chrono::duration<double, std::micro> cost(
          now.latency_us + static_cast<double>(count) / (now.gb_per_s * 1e3));
      return begin + std::chrono::duration_cast<Clock::duration>(cost);
    };
    // Piece by piece, as a copy engine works: a reader that does not wait sees some old bytes.
    for (std::size_t done = 0; done < bytes; done += kChunk) {
      wait_until(queue, when_there(done));
      std::memcpy(static_cast<char*>(to) + done, static_cast<const char*>(from) + done,
                  std::min(kChunk, bytes - done));
    }
    wait_until(queue, when_there(bytes));
  }
  /// For the holder of the engine's mutex.
  trace::SpanTarget place_of_engine(const StreamQueue& queue) const {
    if (trace::is_on() && engine->track == 0)
      engine->track =
          trace::add_track({trace::TrackKind::kEngine, "sim:" + std::to_string(queue.index()),
                            engine->number, std::string("copy engine ") + engine->direction});
    return {engine->track, queue.place().correlation};
  }
};

void submit(StreamQueue& queue, const Transfer& transfer) {
  queue.submit_always(transfer, transfer.name);
}

/// A buffer of the queue that no queued copy uses any longer; for the holder of bounce_mutex.
BounceBuffer& free_bounce_buffer(StreamQueue& queue, std::size_t turn) {
  BounceBuffer& bounce = queue.bounce[turn % 2];
  if (!bounce.data) bounce.data.reset(new char[kChunk]);
  if (bounce.in_use) bounce.in_use->wait();
  return bounce;
}

void bounce_to_device(StreamQueue& queue, Engine& engine, char* to, const char* from,
                      std::size_t bytes) {
  const std::lock_guard lock(queue.bounce_mutex);
  for (std::size_t done = 0, turn = 0; done < bytes; done += kChunk, ++turn) {
    const std::size_t n = std::min(kChunk, bytes - done);
    BounceBuffer& bounce = free_bounce_buffer(queue, turn);
    std::memcpy(bounce.data.get(), from + done, n);
    submit(queue, {&engine, to + done, bounce.data.get(), n, nullptr, kFromPageable});
    bounce.in_use = queue.record_state();
  }
}

/// While the host empties one buffer, the stream fills the other.
void bounce_from_device(StreamQueue& queue, Engine& engine, char* to, const char* from,
                        std::size_t bytes) {
  const std::lock_guard lock(queue.bounce_mutex);
  const std::size_t turns = (bytes + kChunk - 1) / kChunk;
  const auto bytes_of = [&](std::size_t turn) { return std::min(kChunk, bytes - turn * kChunk); };
  const auto fetch = [&](std::size_t turn) {
    BounceBuffer& bounce = free_bounce_buffer(queue, turn);
    submit(queue, {&engine, bounce.data.get(), from + turn * kChunk, bytes_of(turn), nullptr,
                   kToPageable});
    bounce.in_use = queue.record_state();
  };
  fetch(0);
  for (std::size_t turn = 0; turn < turns; ++turn) {
    if (turn + 1 < turns) fetch(turn + 1);
    BounceBuffer& bounce = queue.bounce[turn % 2];
    bounce.in_use->wait();
    if (bounce.in_use->failure()) return;  // synchronize reports it
    std::memcpy(to + turn * kChunk, bounce.data.get(), bytes_of(turn));
  }
}

/// Host to device. Returns when a pageable source has been read.
void copy_to_device(StreamQueue& queue, Engine& engine, void* to, const void* from,
                    std::size_t bytes, bool pinned) {
  if (pinned) {
    submit(queue, {&engine, to, from, bytes, nullptr, "Memcpy HtoD (Pinned -> Device)"});
    return;
  }
  check_may_copy_pageable();
  if (bytes <= kStaged) {
    void* staging = host_allocate(bytes);
    std::memcpy(staging, from, bytes);
    submit(queue, {&engine, to, staging, bytes, staging, kFromPageable});
  } else {
    bounce_to_device(queue, engine, static_cast<char*>(to), static_cast<const char*>(from), bytes);
  }
}

/// Device to host. Returns when a pageable target has been written. @throws AsyncError then, when
/// the stream has failed.
void copy_from_device(StreamQueue& queue, Engine& engine, void* to, const void* from,
                      std::size_t bytes, bool pinned) {
  if (pinned) {
    submit(queue, {&engine, to, from, bytes, nullptr, "Memcpy DtoH (Device -> Pinned)"});
    return;
  }
  const HostWaits waits(queue);
  check_may_copy_pageable();
  if (bytes <= kStaged)
    submit(queue, {&engine, to, from, bytes, nullptr, kToPageable});
  else
    bounce_from_device(queue, engine, static_cast<char*>(to), static_cast<const char*>(from),
                       bytes);
  queue.synchronize();
}

}  // namespace

void copy(StreamQueue& queue, void* to, Device to_device, const void* from, Device from_device,
          std::size_t bytes) {
  const bool to_sim = to_device.is_sim(), from_sim = from_device.is_sim();
  const bool pinned = !(to_sim && from_sim) && is_pinned_memory(to_sim ? from : to);
  if (RaceFinder* finder = RaceFinder::active()) {
    Record record("copy");  // of the stream's thread; the host itself accesses pageable memory
    if (from_sim || pinned) record.reads_from(from, bytes);
    if (to_sim || pinned) record.writes_to(to, bytes);
    finder->copied(queue, record);
  }
  if (to_sim) to = kernel_view(to_device.index(), to);
  if (from_sim) from = kernel_view(from_device.index(), from);
  if (!from_sim)
    copy_to_device(queue, engines_of(to_device).to_device, to, from, bytes, pinned);
  else if (!to_sim)
    copy_from_device(queue, engines_of(from_device).from_device, to, from, bytes, pinned);
  else if (to_device == from_device)  // without an engine: it takes as long as memcpy
    submit(queue, {nullptr, to, from, bytes, nullptr, "Memcpy DtoD (Device -> Device)"});
  else
    submit(queue, {&engines_of(from_device).to_peer, to, from, bytes, nullptr,
                   "Memcpy PtoP (Device -> Device)"});
}

}  // namespace td::sim
