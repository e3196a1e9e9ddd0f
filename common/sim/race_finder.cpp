// See race_finder.h.
#include "sim/race_finder.h"

#include <algorithm>
#include <cstdio>

#include "sim/race_text.h"

namespace td::sim {
namespace {

constexpr std::uint32_t kHost = ~std::uint32_t{0};  // in the place of a stream's number
constexpr std::size_t kKept = 100;                  // races; a program with more has one cause

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
  std::lock_guard lock(mutex_);
  if (on == (active() == this)) return;
  accesses_.clear();
  graphs_.clear();
  active_.store(on ? this : nullptr, std::memory_order_release);
  access_observer.store(on ? this : nullptr, std::memory_order_release);
}

std::vector<Race> RaceFinder::take() {
  std::lock_guard lock(mutex_);
  told_.clear();
  return std::exchange(races_, {});
}

std::uint32_t RaceFinder::number_of(const Queue* queue) {
  const auto [at, is_new] = numbers_.emplace(queue, static_cast<std::uint32_t>(known_.size()));
  if (is_new) known_.push_back({queue, {}, 0});
  return at->second;
}

/// A kernel reaches memory of devices only: a number of the host's, a 0-dimensional tensor, was
/// read when the record was made.
void RaceFinder::submitted(const Queue& queue, const Record& record) {
  std::vector<Extent> extents;
  int reads = 0;
  for (int i = 0; i < record.reads + record.writes; ++i) {
    if (device_of(begin_of(record.extents[i])) < 0) continue;
    extents.push_back(record.extents[i]);
    if (i < record.reads) ++reads;
  }
  queued(queue, {record.name, reads, static_cast<int>(extents.size()) - reads, extents.data()});
}

void RaceFinder::copied(const Queue& queue, const Record& record) {
  queued(queue, {record.name, record.reads, record.writes, record.extents});
}

void RaceFinder::queued(const Queue& queue, const Work& work) {
  std::vector<Found> found;
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
  tell(found);
}

void RaceFinder::launched(const Queue& queue, const Capture& graph) {
  std::vector<Found> found;
  {
    std::lock_guard lock(mutex_);
    for (const KeptWork& work : graphs_[&graph].works)
      add(queue, {work.name, work.reads, work.writes, work.extents.data()}, accesses_, found);
  }
  tell(found);
}

/// The next work of a stream: looks for races, and notes what it touches.
void RaceFinder::add(const Queue& queue, const Work& work, AccessMap& accesses,
                     std::vector<Found>& found) {
  const std::uint32_t number = number_of(&queue);
  Known& stream = known_[number];
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

/// The host's accesses need no note: all that is queued later comes behind them.
void RaceFinder::on_host(const Record& record) {
  std::vector<Found> found;
  {
    std::lock_guard lock(mutex_);
    if (accesses_.size() == 0) return;
    Access access;
    access.name = record.name;
    access.stream = kHost;
    compare({record.name, record.reads, record.writes, record.extents}, access, accesses_, host_,
            found);
  }
  tell(found);
}

/// Finds what the work conflicts with and does not come behind. Of several accesses of one stream
/// the last counts, since who waits for it waits for all. From here on the clock says that the wait
/// had been there: one missing wait is one race.
void RaceFinder::compare(const Work& work, Access access, const AccessMap& accesses,
                         VectorClock& clock, std::vector<Found>& found) {
  const std::size_t first = found.size();
  const auto add = [&](const Access& earlier) {
    if (earlier.count <= clock[earlier.stream] || earlier.stream == access.stream) return;
    const auto same =
        std::find_if(found.begin() + static_cast<std::ptrdiff_t>(first), found.end(),
                     [&](const Found& other) { return other.earlier.stream == earlier.stream; });
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

VectorClock RaceFinder::clock_of(const Queue& queue) {
  std::lock_guard lock(mutex_);
  return known_[number_of(&queue)].clock;
}

void RaceFinder::waits(const Queue& queue, const VectorClock& mark) {
  std::lock_guard lock(mutex_);
  known_[number_of(&queue)].clock.join(mark);
}

void RaceFinder::host_waited(const VectorClock& mark) {
  std::lock_guard lock(mutex_);
  host_.join(mark);
}

/// Nothing can conflict any more with what the host has seen done.
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

/// What the allocator itself waits for cannot meet the next tensor; the rest can.
void RaceFinder::released(const Extent& block, const StreamUse* owner,
                          const StreamUses& uses) noexcept {
  std::lock_guard lock(mutex_);
  VectorClock waited = host_;
  for (const Known& known : known_) {
    const StreamUse stream{kSIM, known.queue->index(), known.queue->handle()};
    if (std::find(uses.begin(), uses.end(), stream) != uses.end()) waited.join(known.clock);
  }
  const auto is_owner = [&](const Queue& queue) {
    return owner && *owner == StreamUse{kSIM, queue.index(), queue.handle()};
  };
  const std::uintptr_t begin = begin_of(block);
  const auto keep = [&](Access& access) {
    const bool owners = is_owner(*known_[access.stream].queue);
    access.life = owners ? Life::kReleasedByOwner : Life::kReleased;
    return access.count > waited[access.stream];
  };
  accesses_.filter(begin, begin + block.bytes, keep);
  for (auto& graph : graphs_) graph.second.accesses.filter(begin, begin + block.bytes, keep);
}

/// Without the mutex: the text asks the allocator whose memory it is.
void RaceFinder::tell(const std::vector<Found>& found) {
  for (const Found& race : found) {
    const Access &first = race.earlier, &second = race.access;
    const Queue *first_queue = nullptr, *second_queue = nullptr;
    {
      std::lock_guard lock(mutex_);
      const Key key{first.name, second.name, first.stream, second.stream, first.life};
      if (races_.size() >= kKept || !told_.insert(key).second) continue;
      first_queue = known_[first.stream].queue;
      if (second.stream != kHost) second_queue = known_[second.stream].queue;
    }
    Race told{race_text(first, *first_queue, second, second_queue), first.name, second.name};
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
