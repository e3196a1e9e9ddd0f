// A descriptor of one launch or copy, and the observers of such records. All work of a device is
// described by a Record of fixed size: a name, the memory it reads and writes, and the work with
// its arguments. The sim queues records; traces, the race finder, graphs and asynchronous errors
// read them. Invariant: without observers, a launch asks once whether there are any.
#pragma once

#include <atomic>
#include <cstring>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "td/base/error.h"
#include "td/base/objects.h"
#include "td/device/device.h"

namespace td {

/// A piece of memory that a record touches, as an address of the device's allocator: of a tensor,
/// all between its first and its last element.
struct Extent {
  const void* data;   ///< Where it begins.
  std::size_t bytes;  ///< How long it is.
};

/// Fixed-size description of one launch or copy. Trivially copyable; owns nothing.
struct Record {
  /// Most extents, and most bytes of work, that one record holds.
  ///@{
  static constexpr int kMaxExtents = 64;
  static constexpr std::size_t kMaxWork = 1024;
  ///@}

  const char* name;              ///< A string that lives as long as the process.
  std::uint16_t reads = 0;       ///< extents[0, reads) are read,
  std::uint16_t writes = 0;      ///< extents[reads, reads + writes) are written.
  std::uint32_t work_bytes = 0;  ///< How much of `work` is used.
  /// Does the work on the calling thread, given the bytes of `work`. May throw; the error then
  /// belongs to the stream.
  void (*run)(const void* work) = nullptr;
  Extent extents[kMaxExtents];           ///< What is touched: first the reads, then the writes.
  alignas(16) std::byte work[kMaxWork];  ///< The arguments of `run`.

  explicit Record(const char* record_name) : name(record_name) {}

  /// Call before any writes_to. @throws Error when the record is full, as writes_to does.
  void reads_from(const void* data, std::size_t bytes) {
    next_extent() = {data, bytes};
    ++reads;
  }
  /// Call after all reads_from.
  void writes_to(const void* data, std::size_t bytes) {
    next_extent() = {data, bytes};
    ++writes;
  }
  /// Stores `work`, a trivially copyable object whose `operator()() const` does the work.
  template <class Work>
  void set_work(const Work& w) {
    static_assert(std::is_trivially_copyable_v<Work>, "a record is copied as bytes");
    static_assert(sizeof(Work) <= kMaxWork, "make the work's arguments smaller");
    static_assert(alignof(Work) <= 16);
    set_work(&w, sizeof w, [](const void* bytes) { (*static_cast<const Work*>(bytes))(); });
  }
  /// Stores `bytes` bytes, at most kMaxWork, for `function`.
  void set_work(const void* w, std::size_t bytes, void (*function)(const void* work)) {
    std::memcpy(work, w, bytes);
    work_bytes = static_cast<std::uint32_t>(bytes);
    run = function;
  }

 private:
  Extent& next_extent() {
    TD_CHECK(Error, reads + writes < kMaxExtents, name, ": a record holds the extents of ",
             kMaxExtents, " tensors; divide the work into several launches");
    return extents[reads + writes];
  }
};

static_assert(std::is_trivially_copyable_v<Record>);

/// Runs it on the calling thread, and writes its duration to a trace.
void run_with_span(const Record& record);

/// A stream that uses a block besides the one the block was allocated for.
struct StreamUse {
  DeviceType type;       ///< pinned memory may be used by streams of several kinds
  int index;             ///< of the device
  NativeStream* native;  ///< of the stream
  friend bool operator==(const StreamUse&, const StreamUse&) = default;
};
/// Streams that use a block.
using StreamUses = std::vector<StreamUse, ObjectAllocator<StreamUse>>;

/// Sees all work as it is issued: the race finder of sim, traces of tests. Any thread calls it,
/// also under an allocator's mutex.
class Observer {
 public:
  virtual ~Observer() = default;
  /// A launch or copy on `device`, before it runs, in the thread that issues it. Work of the cpu
  /// includes the host's reads of pinned memory, such as item().
  virtual void issued(const Record& /*record*/, Device /*device*/) {}
  /// A cache takes `block` back. It may reuse the block on the stream of `owner` immediately
  /// (nullptr: on any), but not before the streams of `uses` have finished what they hold now.
  virtual void released(const Extent& /*block*/, const StreamUse* /*owner*/,
                        const StreamUses& /*uses*/) noexcept {}
};

/// True while there are observers: what a launch asks before it makes a record for them.
inline std::atomic<bool> observed{false};
/// From now on `observer` is called, after those that were added before it.
void add_observer(Observer& observer);
/// Returns when no call of `observer` is running.
void remove_observer(Observer& observer);
/// Call every observer.
///@{
void tell_issued(const Record& record, Device device);
void tell_released(const Extent& block, const StreamUse* owner, const StreamUses& uses) noexcept;
///@}

/// Calls a function with every launch and copy until the end of the scope, for tests and counts.
class RecordObserver final : Observer {
 public:
  using Function = std::function<void(const Record& record, Device device)>;
  explicit RecordObserver(Function function) : function_(std::move(function)) {
    add_observer(*this);
  }
  ~RecordObserver() override { remove_observer(*this); }
  RecordObserver(const RecordObserver&) = delete;
  RecordObserver& operator=(const RecordObserver&) = delete;

 private:
  void issued(const Record& record, Device device) override { function_(record, device); }
  Function function_;
};

}  // namespace td
