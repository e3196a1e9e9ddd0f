// How host memory is moved between ranks: the contract that gloo and shared memory implement.
// ProcessGroupHost calls it from its own threads. A new kind of transport is one new class.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "distributed/collective.h"
#include "distributed/rendezvous/host_info.h"

namespace td::distributed {

/// Carries out collectives on host memory; every call blocks until this rank is done. Collectives
/// come one at a time, in the order of their sequence numbers; send and receive come concurrently,
/// each from a thread of its own.
/// @throws DistributedError when another rank has failed or makes a different call.
class Transport {
 public:
  virtual ~Transport() = default;
  /// What ProcessGroup::transport() returns.
  virtual const char* name() const = 0;

  /// In place: `data` has key.numel elements. all_reduce is bitwise identical on all ranks.
  ///@{
  virtual void broadcast(const CollectiveFingerprint& key, void* data) = 0;
  virtual void all_reduce(const CollectiveFingerprint& key, void* data) = 0;
  virtual void reduce(const CollectiveFingerprint& key, void* data) = 0;
  ///@}
  /// `output` has size * key.numel elements, `input` key.numel.
  virtual void all_gather(const CollectiveFingerprint& key, const void* input, void* output) = 0;
  /// `input` has size * key.numel elements, `output` key.numel.
  virtual void reduce_scatter(const CollectiveFingerprint& key, const void* input,
                              void* output) = 0;
  /// As the methods of ProcessGroup; key.peer is the other rank.
  ///@{
  virtual void barrier(const CollectiveFingerprint& key) = 0;
  virtual void send(const CollectiveFingerprint& key, const void* data) = 0;
  virtual void receive(const CollectiveFingerprint& key, void* data) = 0;
  ///@}

  /// Memory that the other ranks can also access, or nullptr if there is none. The last handle
  /// frees it, when no rank uses it any longer.
  virtual std::shared_ptr<void> allocate_shared(std::size_t /*bytes*/) { return nullptr; }
  /// The group has failed: calls that wait, and all later ones, throw DistributedError(`why`) as
  /// soon as they can. Called from any thread, also more than once.
  virtual void abort(const std::string& why) = 0;
};

/// What join_shared_memory found.
struct SharedMemory {
  std::shared_ptr<Transport> transport;  ///< null when the ranks cannot share memory
  std::string why_not;                   ///< then the reason, with the rank it comes from
};

/// Makes the transport over shared memory (shm_transport.cpp) if all ranks can share it; all ranks
/// come to the same decision.
SharedMemory join_shared_memory(const Member& member);
/// The transport over gloo (gloo_transport.cpp). Connects to all other ranks, which do the same.
/// @throws DistributedError naming the rank that did not join or cannot be reached; Error in a
/// build without gloo, with the package to install.
std::shared_ptr<Transport> make_gloo_transport(const Member& member);

/// The arithmetic of all transports, for every element type: result[i] = (a[i] + b[i] + ...) (op),
/// over `count` arrays in their order; AVG divides the sum by `count`. `result` may be one of the
/// arrays.
void reduce_all(void* result, const void* const* arrays, int count, std::int64_t numel,
                ScalarType dtype, ReduceOp op);

}  // namespace td::distributed
