// How ranks that know only their number and a store find each other. init_process_group calls it.
// Invariant: every rank that reaches the store ends with the same answer, a RendezvousInfo or an
// error in the same words; what an earlier run left in the store changes nothing.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "distributed/rendezvous/host_info.h"
#include "distributed/rendezvous/store.h"

namespace td::distributed {

/// One rank, as all others know it.
struct Member {
  HostInfo host;        ///< where it runs
  std::string address;  ///< the IPv4 address where the others reach it
};

/// "rank 1 (process 4711 on alpha)".
std::string describe(int rank, const Member& member);

/// The ranks of one run.
struct RendezvousInfo {
  std::vector<Member> members;  ///< one a rank
  std::string run;              ///< prefix of this run's keys in the store
  std::string control;          ///< what rank 0 gave as `control`
};

/// The options that each rank passes to join().
struct JoinOptions {
  int rank = 0;                               ///< of this process
  int world_size = 1;                         ///< how many ranks it expects
  std::chrono::milliseconds timeout{30'000};  ///< for all to come
};

/// The called one listens at `address` and returns where others connect to: "127.0.0.1:4711".
using Listen = std::function<std::string(const std::string& address)>;

/// Waits until all ranks have come. Rank 0 collects them, compares what they say and answers all.
/// @param listen called on rank 0, when all ranks have come.
/// @throws DistributedError naming the ranks that are missing, say otherwise, or exist twice.
RendezvousInfo join(Store& store, const JoinOptions& options, const Listen& listen);

/// Deletes the keys of a rendezvous, when no rank needs them any longer.
void clear_rendezvous_keys(Store& store, const RendezvousInfo& info);

}  // namespace td::distributed
