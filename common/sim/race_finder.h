// How races are found. Every record and copy is compared, when it is queued, with the accesses
// before it; vector clocks tell what the program ordered: by a stream, by an event that a stream
// waits for, or by the host, which waits for a stream, device or event (or sees that it is done)
// before it goes on. Two conflicting accesses without such an order are a race, even if they never
// met.
//
// All host threads count as one. What one of them saw, work that another one queues later comes
// behind: a race between host threads may be missed, and a false one is never told.
//
// sim_backend.cpp calls this where it queues, marks and waits. Invariant: under mutex_ nothing but
// this object is called, because allocators call in here under their own mutexes.
#pragma once

#include <mutex>
#include <set>
#include <tuple>
#include <unordered_map>

#include "sim/access_map.h"
#include "sim/queue.h"
#include "sim/races.h"
#include "sim/vector_clock.h"
#include "td/device/access_observer.h"

namespace td::sim {

class RaceFinder final : public AccessObserver {
 public:
  /// The finder, or null while it is off.
  static RaceFinder* active() { return active_.load(std::memory_order_acquire); }
  static RaceFinder& instance();
  void turn(bool on);
  std::vector<Race> take();

  /// The host queues a kernel; a queue that is captured keeps it for the graph's launches.
  void submitted(const Queue& queue, const Record& record);
  /// The same for a copy, with the pinned memory that it reaches.
  void copied(const Queue& queue, const Record& record);
  /// The host launches a graph, whose work comes behind what the queue holds.
  void launched(const Queue& queue, const Capture& graph);
  void forget(const Capture& graph);
  /// What is queued by now: the host may wait for it, or an event take it along.
  VectorClock clock_of(const Queue& queue);
  /// What is queued from now on comes behind `mark`.
  void waits(const Queue& queue, const VectorClock& mark);
  /// What the host does from now on comes behind `mark`.
  void host_waited(const VectorClock& mark);
  /// The memory goes back to the system.
  void forget(const void* memory, std::size_t bytes);

  void on_host(const Record& record) override;
  void released(const Extent& block, const StreamUse* owner,
                const StreamUses& uses) noexcept override;

 private:
  struct Known {
    const Queue* queue;
    VectorClock clock;         // what the next work comes behind
    std::uint64_t queued = 0;  // pieces of work so far
  };
  struct Found {
    Access earlier, access;
  };
  /// What a piece of work touches: first what it reads.
  struct Work {
    const char* name;
    int reads, writes;
    const Extent* extents;
  };
  struct KeptWork {
    const char* name;
    int reads, writes;
    std::vector<Extent> extents;
  };
  /// A capture is a world of its own: its work meets nothing else before it is launched.
  struct Graph {
    AccessMap accesses;
    std::vector<KeptWork> works;
  };
  using Key = std::tuple<std::string, std::string, std::uint32_t, std::uint32_t, Life>;

  std::uint32_t number_of(const Queue* queue);
  void queued(const Queue& queue, const Work& work);
  void add(const Queue& queue, const Work& work, AccessMap& accesses, std::vector<Found>& found);
  static void compare(const Work& work, Access access, const AccessMap& accesses,
                      VectorClock& clock, std::vector<Found>& found);
  static void note(const Work& work, Access access, AccessMap& accesses);
  void forget_ordered();
  void tell(const std::vector<Found>& found);

  static std::atomic<RaceFinder*> active_;

  std::mutex mutex_;  // guards all below
  std::vector<Known> known_;
  std::unordered_map<const Queue*, std::uint32_t> numbers_;
  VectorClock host_;
  AccessMap accesses_;
  std::unordered_map<const Capture*, Graph> graphs_;
  std::size_t large_ = 1024;  // pieces from which on it is worth looking for what to forget
  std::set<Key> told_;        // since the last take()
  std::vector<Race> races_;
};

/// Prints what nobody took.
void warn_of_races();

/// While the host waits for streams: at its end the host comes behind what they held at its start,
/// also when waiting throws. Does nothing while the finder is off.
class HostWaits {
 public:
  explicit HostWaits(const std::vector<Queue*>& queues) : finder_(RaceFinder::active()) {
    if (finder_)
      for (const Queue* queue : queues) mark_.join(finder_->clock_of(*queue));
  }
  explicit HostWaits(const Queue& queue) : finder_(RaceFinder::active()) {
    if (finder_) mark_ = finder_->clock_of(queue);
  }
  explicit HostWaits(const VectorClock& mark) : finder_(RaceFinder::active()), mark_(mark) {}
  ~HostWaits() {
    if (finder_) finder_->host_waited(mark_);
  }
  HostWaits(const HostWaits&) = delete;
  HostWaits& operator=(const HostWaits&) = delete;
  /// It did not wait after all.
  void cancel() { finder_ = nullptr; }

 private:
  RaceFinder* finder_;
  VectorClock mark_;
};

}  // namespace td::sim
