// Finds races. Every kernel and copy is compared, when it is queued, with earlier accesses. Vector
// clocks hold the happens-before order: by a stream, by an event that a stream waits for, or by the
// host, which synchronizes with a stream, device or event (or queries that it is done). Two
// conflicting accesses without such an order are a race, even if they did not overlap in time.
//
// All host threads count as one: work that one thread queues counts as ordered after everything
// that another thread has waited for. So a race between host threads may be missed; there are no
// false reports.
//
// sim_backend.cpp calls this where it enqueues, records and waits. Invariant: with mutex_ held,
// only this object is called, because allocators call it with their own mutexes held.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "sim/access_map.h"
#include "sim/sim.h"
#include "sim/stream_queue.h"
#include "td/device/record.h"

namespace td::sim {

/// The state of the block that was accessed.
enum class BlockState : std::uint8_t {
  kPresent,          ///< it still belongs to the tensor that was accessed
  kReleased,         ///< that tensor was released; the access was not on the block's own stream
  kReleasedByOwner,  ///< released as well; the access was on the block's own stream
};

/// One use of memory by a stream.
struct Access {
  const char* name = nullptr;  ///< of the operation; null: no access
  std::uint32_t stream = 0;    ///< its number in the race finder
  bool writes = false;
  BlockState block_state = BlockState::kPresent;
  std::uint64_t count = 0;            ///< its index in the stream's work
  std::uintptr_t begin = 0, end = 0;  ///< the bytes that it accessed
};

class RaceFinder final : public Observer {
 public:
  /// The race finder, or null while it is off.
  static RaceFinder* active() { return active_.load(std::memory_order_acquire); }
  static RaceFinder& instance();
  void turn(bool on);
  std::vector<Race> take();

  /// A kernel was queued; on a captured queue it is stored for the launches of the graph.
  void submitted(const StreamQueue& queue, const Record& record);
  /// The same for a copy, with the pinned memory that it accesses.
  void copied(const StreamQueue& queue, const Record& record);
  /// A graph was launched; its work comes after that of the queue.
  void launched(const StreamQueue& queue, const Capture& graph);
  void forget(const Capture& graph);
  /// The clock after all queued work, for a wait of the host or for an event.
  VectorClock clock_of(const StreamQueue& queue);
  /// Later work of the queue comes after `clock`.
  void waits(const StreamQueue& queue, const VectorClock& clock);
  /// Later actions of the host come after `clock`.
  void host_waited(const VectorClock& clock);
  /// The memory was returned to the system.
  void forget(const void* memory, std::size_t bytes);

  /// The host itself reads and writes memory, when `device` is the cpu.
  void issued(const Record& record, Device device) override;
  void released(const Extent& block, const StreamUse* owner,
                const StreamUses& uses) noexcept override;

 private:
  struct StreamState {
    const StreamQueue* queue;
    VectorClock clock;         // the next work comes after it
    std::uint64_t queued = 0;  // pieces of work so far
  };
  struct Conflict {
    Access earlier, access;
  };
  /// The accesses of one piece of work.
  using Work = std::vector<Access>;
  /// The work of a capture, which conflicts with other work only when it is launched.
  struct Graph {
    AccessMap<Access> accesses;
    std::vector<Work> works;
  };
  using Key = std::tuple<std::string, std::string, std::uint32_t, std::uint32_t, BlockState>;

  std::uint32_t number_of(const StreamQueue* queue);
  static Work work_of(const Record& record);
  template <class Find>
  void find(Find find);
  void queued(const StreamQueue& queue, Work work);
  void add(const StreamQueue& queue, Work work, AccessMap<Access>& accesses,
           std::vector<Conflict>& found);
  static void compare(const Work& work, const AccessMap<Access>& accesses, VectorClock& clock,
                      std::vector<Conflict>& found);
  void forget_ordered();
  void report(const std::vector<Conflict>& found);

  static std::atomic<RaceFinder*> active_;

  std::mutex mutex_;  // guards all below
  std::vector<StreamState> streams_;
  std::unordered_map<const StreamQueue*, std::uint32_t> numbers_;
  VectorClock host_;
  AccessMap<Access> accesses_;
  std::unordered_map<const Capture*, Graph> graphs_;
  std::size_t large_ = 1024;  // number of pieces at which ordered accesses are removed
  std::set<Key> reported_;    // since the last take()
  std::vector<Race> races_;
};

/// Returns the sim device of the address; -1: host memory.
int device_of(std::uintptr_t address);
/// Returns the message for a race: both accesses, the tensor, and the missing wait. `first` was
/// queued on `first_queue`; `second`, which does not wait for it, on `second_queue`, or is the
/// host's (null).
std::string race_report(const Access& first, const StreamQueue& first_queue, const Access& second,
                        const StreamQueue* second_queue);
/// Prints the races that take_races() has not returned.
void warn_of_races();

/// RAII for a wait of the host: at the end of the scope, also by an exception, the host comes after
/// the work that the streams held at its start. Does nothing while the race finder is off.
class HostWaits {
 public:
  explicit HostWaits(const std::vector<StreamQueue*>& queues) : finder_(RaceFinder::active()) {
    if (finder_)
      for (const StreamQueue* queue : queues) clock_.join(finder_->clock_of(*queue));
  }
  explicit HostWaits(const StreamQueue& queue) : finder_(RaceFinder::active()) {
    if (finder_) clock_ = finder_->clock_of(queue);
  }
  explicit HostWaits(const VectorClock& clock) : finder_(RaceFinder::active()), clock_(clock) {}
  ~HostWaits() {
    if (finder_) finder_->host_waited(clock_);
  }
  HostWaits(const HostWaits&) = delete;
  HostWaits& operator=(const HostWaits&) = delete;
  /// It did not wait after all.
  void cancel() { finder_ = nullptr; }

 private:
  RaceFinder* finder_;
  VectorClock clock_;
};

}  // namespace td::sim
