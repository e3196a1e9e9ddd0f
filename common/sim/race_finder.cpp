// The map of accesses, and the comparison of each new one with it.
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

/// Returns the first piece that ends after the address.
AccessMap::Pieces::const_iterator AccessMap::first_after(std::uintptr_t address) const {
  auto at = pieces_.upper_bound(address);
  if (at != pieces_.begin() && std::prev(at)->second.end > address) --at;
  return at;
}

/// Splits the piece that contains the address, if any.
void AccessMap::split(std::uintptr_t address) {
  auto behind = pieces_.lower_bound(address);
  if (behind == pieces_.begin()) return;
  Piece& piece = std::prev(behind)->second;
  if (piece.end <= address) return;
  pieces_.emplace_hint(behind, address, piece);  // a copy keeps the end
  piece.end = address;
}

void AccessMap::note(const Access& access) {
  split(access.begin);
  split(access.end);
  auto at = pieces_.lower_bound(access.begin);
  if (access.writes) {  // earlier accesses no longer matter: a wait for this one covers them
    at = pieces_.erase(at, pieces_.lower_bound(access.end));
    pieces_.emplace_hint(at, access.begin, Piece{access.end, access, {}});
    return;
  }
  for (std::uintptr_t done = access.begin; done < access.end; ++at) {
    if (at == pieces_.end() || at->first > done) {  // bytes without an access
      const std::uintptr_t end = at == pieces_.end() ? access.end : std::min(access.end, at->first);
      at = pieces_.emplace_hint(at, done, Piece{end, {}, {}});
    }
    std::vector<Access>& reads = at->second.reads;
    const auto mine = std::find_if(reads.begin(), reads.end(), [&](const Access& read) {
      return read.stream == access.stream;
    });
    if (mine == reads.end())
      reads.push_back(access);
    else
      *mine = access;
    done = at->second.end;
  }
}

std::atomic<RaceFinder*> RaceFinder::active_{nullptr};

RaceFinder& RaceFinder::instance() {
  static RaceFinder& finder = *new RaceFinder;  // queues use it until the process ends
  return finder;
}

void RaceFinder::turn(bool on) {
  std::lock_guard lock(mutex_);
  if (on == (active() == this)) return;
  accesses_.clear();
  graphs_.clear();
  active_.store(on ? this : nullptr, std::memory_order_release);
  access_observer.store(on ? this : nullptr, std::memory_order_release);
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

/// A kernel accesses device memory only: a 0-dimensional tensor of the host was read when the
/// kernel was launched.
void RaceFinder::submitted(const StreamQueue& queue, const Record& record) {
  std::vector<Extent> extents;
  int reads = 0;
  for (int i = 0; i < record.reads + record.writes; ++i) {
    if (device_of(begin_of(record.extents[i])) < 0) continue;
    extents.push_back(record.extents[i]);
    if (i < record.reads) ++reads;
  }
  queued(queue, {record.name, reads, static_cast<int>(extents.size()) - reads, extents.data()});
}

void RaceFinder::copied(const StreamQueue& queue, const Record& record) {
  queued(queue, {record.name, record.reads, record.writes, record.extents});
}

void RaceFinder::queued(const StreamQueue& queue, const Work& work) {
  std::vector<Conflict> found;
  {
    std::lock_guard lock(mutex_);
    if (const Capture* capture = queue.capture()) {
      Graph& graph = graphs_[capture];
      const Extent* end = work.extents + work.reads + work.writes;
      graph.works.push_back({work.name, work.reads, work.writes, {work.extents, end}});
      add(queue, work, graph.accesses, found);
    } else {
      add(queue, work, accesses_, found);
    }
  }
  report(found);
}

void RaceFinder::launched(const StreamQueue& queue, const Capture& graph) {
  std::vector<Conflict> found;
  {
    std::lock_guard lock(mutex_);
    for (const CapturedWork& work : graphs_[&graph].works)
      add(queue, {work.name, work.reads, work.writes, work.extents.data()}, accesses_, found);
  }
  report(found);
}

/// Adds the next work of a stream: finds its races and stores its accesses.
void RaceFinder::add(const StreamQueue& queue, const Work& work, AccessMap& accesses,
                     std::vector<Conflict>& found) {
  const std::uint32_t number = number_of(&queue);
  StreamState& stream = streams_[number];
  stream.clock.join(host_);
  Access access;
  access.name = work.name;
  access.stream = number;
  access.count = ++stream.queued;
  compare(work, access, accesses, stream.clock, found);
  stream.clock.raise(number, access.count);
  note(work, access, accesses);
  if (accesses_.size() > large_) forget_ordered();
}

/// The host's accesses are not stored: all work that is queued later comes after them.
void RaceFinder::on_host(const Record& record) {
  std::vector<Conflict> found;
  {
    std::lock_guard lock(mutex_);
    if (accesses_.size() == 0) return;
    Access access;
    access.name = record.name;
    access.stream = kHost;
    compare({record.name, record.reads, record.writes, record.extents}, access, accesses_, host_,
            found);
  }
  report(found);
}

/// Finds the conflicting accesses that are not ordered before the work. Of several accesses of one
/// stream only the last counts, because a wait for it covers all. Then the clock is raised as if
/// the wait had been there, so that one missing wait is one race.
void RaceFinder::compare(const Work& work, Access access, const AccessMap& accesses,
                         VectorClock& clock, std::vector<Conflict>& found) {
  const std::size_t first = found.size();
  const auto add = [&](const Access& earlier) {
    if (earlier.count <= clock[earlier.stream] || earlier.stream == access.stream) return;
    const auto same =
        std::find_if(found.begin() + static_cast<std::ptrdiff_t>(first), found.end(),
                     [&](const Conflict& other) { return other.earlier.stream == earlier.stream; });
    if (same == found.end())
      found.push_back({earlier, access});
    else if (same->earlier.count < earlier.count)
      *same = {earlier, access};
  };
  for (int i = 0; i < work.reads + work.writes; ++i) {
    access.writes = i >= work.reads;
    access.begin = begin_of(work.extents[i]);
    access.end = access.begin + work.extents[i].bytes;
    if (access.begin < access.end) accesses.conflicts(access, add);
  }
  for (std::size_t i = first; i < found.size(); ++i)
    clock.raise(found[i].earlier.stream, found[i].earlier.count);
}

void RaceFinder::note(const Work& work, Access access, AccessMap& accesses) {
  for (int i = 0; i < work.reads + work.writes; ++i) {
    access.writes = i >= work.reads;
    access.begin = begin_of(work.extents[i]);
    access.end = access.begin + work.extents[i].bytes;
    if (access.begin < access.end) accesses.note(access);
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
  accesses_.filter_all([&](const Access& a) { return a.count > host_[a.stream]; });
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
