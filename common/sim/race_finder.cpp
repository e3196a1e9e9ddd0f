// Compares each new piece of work with the map of accesses.
#include "sim/race_finder.h"

#include <algorithm>
#include <cstdio>

namespace td::sim {
namespace {

constexpr std::uint32_t kHost = ~std::uint32_t{0};  // instead of a stream's number
constexpr std::size_t kKept = 100;  // most races that are stored; a program with more has one cause

std::uintptr_t begin_of(const Extent& extent) {
  return reinterpret_cast<std::uintptr_t>(extent.data);
}

}  // namespace

std::atomic<RaceFinder*> RaceFinder::active_{nullptr};

RaceFinder& RaceFinder::instance() {
  static RaceFinder& finder = *new RaceFinder;  // queues use it until the process ends
  return finder;
}

void RaceFinder::turn(bool on) {
  {
    std::lock_guard lock(mutex_);
    if (on == (active() == this)) return;
    accesses_.clear();
    graphs_.clear();
    active_.store(on ? this : nullptr, std::memory_order_release);
  }
  on ? add_observer(*this) : remove_observer(*this);
}

std::vector<Race> RaceFinder::take() {
  std::lock_guard lock(mutex_);
  reported_.clear();
  return std::exchange(races_, {});
}

std::uint32_t RaceFinder::number_of(const StreamQueue* queue) {
  const auto [at, is_new] = numbers_.emplace(queue, static_cast<std::uint32_t>(streams_.size()));
  if (is_new) streams_.push_back({queue, {}, 0});
  return at->second;
}

/// The work of the host, until a queue takes it over.
RaceFinder::Work RaceFinder::work_of(const Record& record) {
  Work work;
  for (int i = 0; i < record.reads + record.writes; ++i) {
    const std::uintptr_t begin = begin_of(record.extents[i]);
    const std::size_t bytes = record.extents[i].bytes;
    if (bytes > 0)
      work.push_back({.name = record.name,
                      .stream = kHost,
                      .writes = i >= record.reads,
                      .begin = begin,
                      .end = begin + bytes});
  }
  return work;
}

/// A kernel accesses device memory only: a 0-dimensional tensor of the host was read when the
/// kernel was launched.
void RaceFinder::submitted(const StreamQueue& queue, const Record& record) {
  Work work = work_of(record);
  std::erase_if(work, [](const Access& access) { return device_of(access.begin) < 0; });
  queued(queue, std::move(work));
}

void RaceFinder::copied(const StreamQueue& queue, const Record& record) {
  queued(queue, work_of(record));
}

/// Calls `find(found)` with the mutex held, and reports what it found without it.
template <class Find>
void RaceFinder::find(Find find) {
  std::vector<Conflict> found;
  {
    std::lock_guard lock(mutex_);
    find(found);
  }
  report(found);
}

void RaceFinder::queued(const StreamQueue& queue, Work work) {
  find([&](std::vector<Conflict>& found) {
    const Capture* capture = queue.capture();
    if (capture) graphs_[capture].works.push_back(work);
    add(queue, std::move(work), capture ? graphs_[capture].accesses : accesses_, found);
  });
}

void RaceFinder::launched(const StreamQueue& queue, const Capture& graph) {
  find([&](std::vector<Conflict>& found) {
    for (const Work& work : graphs_[&graph].works) add(queue, work, accesses_, found);
  });
}

/// Adds the next work of a stream: finds its races and stores its accesses.
void RaceFinder::add(const StreamQueue& queue, Work work, AccessMap<Access>& accesses,
                     std::vector<Conflict>& found) {
  const std::uint32_t number = number_of(&queue);
  StreamState& stream = streams_[number];
  stream.clock.join(host_);
  ++stream.queued;
  for (Access& access : work) {
    access.stream = number;
    access.count = stream.queued;
  }
  compare(work, accesses, stream.clock, found);
  stream.clock.raise(number, stream.queued);
  for (const Access& access : work) accesses.note(access);
  if (accesses_.size() > large_) forget_ordered();
}

/// The host's accesses are not stored: all work that is queued later comes after them.
void RaceFinder::issued(const Record& record, Device device) {
  if (!device.is_cpu()) return;  // the queues report their work themselves
  find([&](std::vector<Conflict>& found) {
    if (accesses_.size() > 0) compare(work_of(record), accesses_, host_, found);
  });
}

/// Finds the conflicting accesses that are not ordered before the work. Of several accesses of one
/// stream only the last counts, because a wait for it covers all. Then the clock is raised as if
/// the wait had been there, so that one missing wait is one race.
void RaceFinder::compare(const Work& work, const AccessMap<Access>& accesses, VectorClock& clock,
                         std::vector<Conflict>& found) {
  std::map<std::uint32_t, Conflict> of_streams;
  for (const Access& access : work)
    accesses.conflicts(access, [&](const Access& earlier) {
      if (earlier.count <= clock[earlier.stream] || earlier.stream == access.stream) return;
      Conflict& last = of_streams[earlier.stream];
      if (last.earlier.count < earlier.count) last = {earlier, access};
    });
  for (const auto& [stream, conflict] : of_streams) {
    found.push_back(conflict);
    clock.raise(stream, conflict.earlier.count);
  }
}

VectorClock RaceFinder::clock_of(const StreamQueue& queue) {
  std::lock_guard lock(mutex_);
  return streams_[number_of(&queue)].clock;
}

void RaceFinder::waits(const StreamQueue& queue, const VectorClock& clock) {
  std::lock_guard lock(mutex_);
  streams_[number_of(&queue)].clock.join(clock);
}

void RaceFinder::host_waited(const VectorClock& clock) {
  std::lock_guard lock(mutex_);
  host_.join(clock);
}

/// Work that the host has waited for can no longer conflict.
void RaceFinder::forget_ordered() {
  accesses_.filter(0, UINTPTR_MAX, [&](const Access& a) { return a.count > host_[a.stream]; });
  large_ = std::max<std::size_t>(1024, accesses_.size() * 2);
}

void RaceFinder::forget(const Capture& graph) {
  std::lock_guard lock(mutex_);
  graphs_.erase(&graph);
}

void RaceFinder::forget(const void* memory, std::size_t bytes) {
  std::lock_guard lock(mutex_);
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  accesses_.filter(begin, begin + bytes, [](const Access&) { return false; });
}

/// Work that the allocator waits for cannot conflict with the next tensor; other work can.
void RaceFinder::released(const Extent& block, const StreamUse* owner,
                          const StreamUses& uses) noexcept {
  std::lock_guard lock(mutex_);
  VectorClock waited = host_;
  for (const StreamState& stream : streams_) {
    const StreamUse use{kSIM, stream.queue->index(), stream.queue->handle()};
    if (std::find(uses.begin(), uses.end(), use) != uses.end()) waited.join(stream.clock);
  }
  const auto is_owner = [&](const StreamQueue& queue) {
    return owner && *owner == StreamUse{kSIM, queue.index(), queue.handle()};
  };
  const std::uintptr_t begin = begin_of(block);
  const auto keep = [&](Access& access) {
    const bool owners = is_owner(*streams_[access.stream].queue);
    access.block_state = owners ? BlockState::kReleasedByOwner : BlockState::kReleased;
    return access.count > waited[access.stream];
  };
  accesses_.filter(begin, begin + block.bytes, keep);
  for (auto& graph : graphs_) graph.second.accesses.filter(begin, begin + block.bytes, keep);
}

/// Called without the mutex: the message queries the allocator for the block.
void RaceFinder::report(const std::vector<Conflict>& found) {
  for (const Conflict& race : found) {
    const Access &first = race.earlier, &second = race.access;
    const StreamQueue *first_queue = nullptr, *second_queue = nullptr;
    {
      std::lock_guard lock(mutex_);
      const Key key{first.name, second.name, first.stream, second.stream, first.block_state};
      if (races_.size() >= kKept || !reported_.insert(key).second) continue;
      first_queue = streams_[first.stream].queue;
      if (second.stream != kHost) second_queue = streams_[second.stream].queue;
    }
    Race told{race_report(first, *first_queue, second, second_queue), first.name, second.name};
    std::lock_guard lock(mutex_);
    races_.push_back(std::move(told));
  }
}

void find_races(bool on) { RaceFinder::instance().turn(on); }
bool finding_races() { return RaceFinder::active(); }
void warn_of_races() {
  for (const Race& race : take_races()) std::fprintf(stderr, "warning: %s\n", race.text.c_str());
}
std::vector<Race> take_races() { return RaceFinder::instance().take(); }

}  // namespace td::sim
