// Memory that processes of one host share: each rank makes a segment and maps those of all others.
// The transport over them (shm_transport.cpp) lays it out.
// Invariant: a segment has no name in any directory, so nothing of it remains after the processes
// have ended, however they end. Allocated memory exists, so an access to it cannot fail.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "distributed/transport/transport.h"
#include "os/file.h"

namespace td::distributed {

/// A mapped segment, zeroed at first.
class SharedSegment {
 public:
  /// Makes a segment with `bytes` of memory for its owner's own use at its beginning.
  /// @throws Error with the system's reason when there is too little memory, or sharing fails.
  static std::shared_ptr<SharedSegment> make(std::size_t bytes);
  /// Opens a segment that another process, or this one, has made. @param address its address().
  /// @throws Error naming the address and the system's reason.
  static std::shared_ptr<SharedSegment> open(const std::string& address);
  ~SharedSegment();

  /// How other processes open it, while the process that made it is running.
  const std::string& address() const { return address_; }
  /// Where it is mapped here. Other processes have it at other addresses.
  char* data() const { return data_; }
  /// More memory, for its owner; nullptr when the system has no more.
  void* allocate(std::size_t bytes);
  /// Returns `bytes` allocated bytes to the system. Their addresses are not used again.
  void release(void* memory, std::size_t bytes);
  /// The offset in the segment of memory that allocate returned, or -1 for other memory.
  std::ptrdiff_t offset_of(const void* memory) const;

 private:
  explicit SharedSegment(int descriptor) : descriptor_(descriptor) {}
  bool map(std::size_t span);

  const FileDescriptor descriptor_;
  std::string address_;
  char* data_ = nullptr;
  std::size_t span_ = 0;  // addresses, of which only the first used_ have memory
  std::mutex mutex_;
  std::size_t used_ = 0;
};

/// A counter that only grows and wraps around at 2^32. It is in zeroed shared memory and takes one
/// cache line, so that waiting for one rank does not slow another down.
class alignas(64) SharedCounter {
 public:
  /// Adds one; called by the rank that owns it. A rank that waited sees what was written before.
  void advance();
  /// Waits until the counter has reached `target`: spins at first, because the other rank usually
  /// comes soon, then sleeps. False when `stop` became true first.
  bool wait_for(std::uint32_t target, const std::atomic<bool>& stop);
  /// Wakes the ranks that wait, so that they check their `stop`.
  void wake();

 private:
  bool reached(std::uint32_t target) const;

  std::atomic<std::uint32_t> value_;
  std::atomic<std::uint32_t> sleepers_;
};

/// A rank's part of the barriers, at the beginning of its segment.
struct RankSlot {
  SharedCounter arrived;  ///< how often it has arrived
  /// A call of this rank.
  struct CallSlot {
    CollectiveFingerprint key;  ///< the call
    std::int64_t place;         ///< offset of its data in the segment, or negative
  };
  /// Its calls, double-buffered: a late rank reads the last one while the next is written.
  alignas(64) CallSlot calls[2];
};

/// One direction between two ranks. A rank advances its counter after it has written the rest.
struct SharedMailbox {
  SharedCounter posted;             ///< the sender's counter
  SharedCounter taken;              ///< the receiver's counter
  CollectiveFingerprint sent;       ///< the sender's call
  CollectiveFingerprint wanted;     ///< the receiver's call
  alignas(64) char data[64 << 10];  ///< a piece of the sender's data
};

/// The transport over the ranks' segments, each made with shm_segment_bytes; the rank's own one is
/// the one it has made. Data that is in memory of allocate_shared on all ranks is not copied at
/// all; other data goes piece by piece through a stage in shared memory.
std::shared_ptr<Transport> make_shm_transport(int rank,
                                              std::vector<std::shared_ptr<SharedSegment>> segments);
/// What the transport of a group of `size` ranks needs at the beginning of each segment.
std::size_t shm_segment_bytes(int size);

}  // namespace td::distributed
