// Collectives between ranks that can read each other's memory: processes of one host can where the
// memory is a shared segment. This is the all-reduce that chapter 06 explains: each rank reduces
// one slice of all data and copies it to all. Invariant: while ranks show their data, each element
// is written by one rank alone.
#pragma once

#include <functional>
#include <vector>

#include "distributed/transport/transport.h"

namespace td::distributed {

/// Transport over memory that all ranks see. A derived class brings the ranks together.
class PeerMemoryTransport : public Transport {
 public:
  PeerMemoryTransport(int rank, int size) : rank_(rank), size_(size) {}

  void broadcast(const CollectiveFingerprint& key, void* data) override;
  void all_reduce(const CollectiveFingerprint& key, void* data) override;
  void reduce(const CollectiveFingerprint& key, void* data) override;
  void all_gather(const CollectiveFingerprint& key, const void* input, void* output) override;
  void reduce_scatter(const CollectiveFingerprint& key, const void* input, void* output) override;
  void barrier(const CollectiveFingerprint& key) override;

 protected:
  /// Elements [begin, end) of what the ranks show, at a moment when all can read them.
  struct Piece {
    const std::vector<void*>& ranks;  ///< where element `begin` of each rank is, for this rank
    std::int64_t begin, end;
    std::int64_t numel() const { return end - begin; }  ///< how many they are
  };
  /// What ranks do with a piece: read all of it, or read and write their slices of it alone.
  enum class Access { kRead, kSlices };
  using Use = std::function<void(const Piece&)>;

  /// Shows `numel` elements at `mine` to all ranks, and calls `use` with theirs: once with all of
  /// them, or piece by piece. A rank with `mine` null shows nothing. Returns when no rank reads
  /// `mine` any longer. @throws DistributedError when the ranks have not come with the same key,
  /// with the same text on all ranks.
  virtual void exchange_buffers(const CollectiveFingerprint& key, void* mine, std::int64_t numel,
                                Access access, const Use& use) = 0;

  /// Elements [begin, end), for which one rank is responsible.
  struct Slice {
    std::int64_t begin, end;
  };
  /// This rank's slice of `numel` elements: as even as can be, on whole cache lines, because two
  /// ranks that write to one line would pass it to and fro.
  Slice my_slice(std::int64_t numel, ScalarType dtype) const;

  const int rank_;  ///< of this process
  const int size_;  ///< of the group
};

}  // namespace td::distributed
