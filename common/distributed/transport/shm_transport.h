// The transport between processes of one host: a barrier is a counter in shared memory, and data in
// shared memory is reduced in place. init_process_group takes it when all ranks are on one
// host; NCCL has such a transport for GPUs, gloo has none.
// Invariant: this transport carries data and compares calls. It waits for the other ranks without
// end: that one of them is dead, stuck or gone is for the coordination service to find, which calls
// abort.
#pragma once

#include <atomic>
#include <mutex>

#include "distributed/rendezvous/host_info.h"
#include "distributed/transport/peer_memory_transport.h"
#include "distributed/transport/shared_segment.h"

namespace td::distributed {

struct RankSlot;
struct SharedMailbox;
class SharedCounter;

/// See above. Data that is in memory of allocate_shared on all ranks is not copied at all; other
/// data goes piece by piece through a stage in shared memory.
class ShmTransport final : public PeerMemoryTransport {
 public:
  /// @param segments the ranks' segments, each made with segment_bytes; the rank's own one is the
  /// one it has made.
  ShmTransport(int rank, std::vector<std::shared_ptr<SharedSegment>> segments);
  const char* name() const override { return "shared memory"; }
  void barrier(const CollectiveFingerprint& key) override;
  void send(const CollectiveFingerprint& key, const void* data) override;
  void receive(const CollectiveFingerprint& key, void* data) override;
  void* allocate_shared(std::size_t bytes) override;
  void release_shared(void* memory, std::size_t bytes) override;
  void abort(const std::string& why) override;

  /// What the transport of a group of `size` ranks needs at the beginning of each segment.
  static std::size_t segment_bytes(int size);

 protected:
  void exchange_buffers(const CollectiveFingerprint& key, void* mine, std::int64_t numel,
                        Access access, const Use& use) override;

 private:
  enum class BufferPlacement { kNothing, kInPlace, kCopies, kMixed };

  RankSlot& slot(int rank) const;
  SharedMailbox& mailbox(int from, int to) const;
  char* stage(int rank) const;

  BufferPlacement exchange_fingerprints(const CollectiveFingerprint& key, const void* mine);
  void arrive_and_wait();
  void exchange_staged(const CollectiveFingerprint& key, char* mine, std::int64_t numel,
                       Access access, const Use& use);
  void copy_for_others(void* to, const void* from, std::int64_t numel, ScalarType dtype,
                       Access access) const;
  void wait_for(SharedCounter& counter, std::uint32_t target);
  void check_p2p(int from, const CollectiveFingerprint& sent, int to,
                 const CollectiveFingerprint& wanted);
  [[noreturn]] void throw_failure();

  const std::vector<std::shared_ptr<SharedSegment>> segments_;
  std::uint32_t arrivals_ = 0;  // of every rank: all arrive equally often
  std::uint32_t calls_ = 0;
  int half_ = 0;                                // of the stage
  std::vector<void*> pointers_;                 // of the piece that is shown
  std::vector<std::uint32_t> sent_, received_;  // messages with each rank
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::string failure_;
};

/// What join_shared_memory found.
struct SharedMemory {
  std::shared_ptr<Transport> transport;  ///< null when the ranks cannot share memory
  std::string why_not;                   ///< then the reason, with the rank it comes from
};

/// Makes the transport if all ranks can share memory; all ranks come to the same decision.
/// @param hosts of all ranks, in their order.
SharedMemory join_shared_memory(int rank, const std::vector<HostInfo>& hosts,
                                const Exchange& exchange);

}  // namespace td::distributed
