// Collectives between ranks that can read each other's memory. Threads of one process can as they
// are; processes of one host can where the memory is a shared segment. This is the all-reduce that
// chapter 06 explains: each rank reduces one slice of everybody's data, then collects the slices.
// Invariant: between meet() and part() no rank changes what another one reads.
#pragma once

#include <vector>

#include "td/distributed/host_plane.h"

namespace td::distributed {

/// HostPlane over memory that all ranks see. A derived class brings the ranks together.
class PeerPlane : public HostPlane {
 public:
  PeerPlane(int rank, int size) : rank_(rank), size_(size) {}

  void broadcast(const CollectiveKey& key, void* data) override;
  void all_reduce(const CollectiveKey& key, void* data) override;
  void reduce(const CollectiveKey& key, void* data) override;
  void all_gather(const CollectiveKey& key, const void* input, void* output) override;
  void reduce_scatter(const CollectiveKey& key, const void* input, void* output) override;
  void barrier(const CollectiveKey& key) override;

 protected:
  /// Waits until all ranks have come with the same key; the result says where each rank's memory is
  /// for this rank. @throws DistributedError when they have not, with the same text on all ranks.
  virtual const std::vector<void*>& meet(const CollectiveKey& key, void* mine) = 0;
  /// Waits until all ranks are done with reading and writing.
  virtual void part(const CollectiveKey& key) = 0;

  /// The elements of rank `rank`'s slice: as even as can be, on whole cache lines.
  struct Slice {
    std::int64_t begin, end;
  };
  Slice slice_of(int rank, const CollectiveKey& key) const;

  const int rank_, size_;
};

}  // namespace td::distributed
