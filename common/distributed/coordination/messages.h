// What the ranks send each other besides the collectives: who they are while they join, then their
// states, many times per second. The rendezvous and the coordination service send these messages
// over their sockets. Invariant: a message that this program did not make is rejected.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "distributed/collective.h"
#include "distributed/rendezvous/host_info.h"

namespace td::distributed {

/// What a rank sends about itself when it joins.
struct Card {
  int rank = 0;        ///< its number
  int world_size = 1;  ///< how many ranks it expects
  HostInfo host;       ///< where it runs
  std::string run;     ///< of rank 0: the mark of this run, which no other run has
  int port = 0;        ///< of rank 0: where it listens
  std::string error;   ///< why this rank cannot take part, or has given up
};

/// Rank 0's answer to all ranks that have joined.
struct RollCall {
  std::string error;            ///< why no rank can join; else empty
  std::vector<HostInfo> hosts;  ///< one per rank
};

/// The calls of a rank; trivially copyable, because it is sent as it is.
struct Heartbeat {
  /// A call that the rank is in now.
  struct Call {
    CollectiveFingerprint key;       ///< the call
    std::int64_t milliseconds = -1;  ///< since when; negative: there is none
    /// Whether there is one.
    bool running() const { return milliseconds >= 0; }
  };
  /// How many of the last collectives a rank keeps.
  static constexpr std::uint64_t kKept = 8;

  Call collective;                 ///< the collective that the rank is in
  Call send;                       ///< the send that it is in
  Call receive;                    ///< the receive that it is in
  CollectiveFingerprint finished;  ///< the last collective; sequence 0: none yet
  std::array<CollectiveFingerprint, kKept>
      started;  ///< the last ones, each at its sequence % kKept
};

/// What a rank reports to rank 0 about itself.
struct RankState {
  Heartbeat heartbeat;          ///< its calls
  std::string error;            ///< it has failed by itself, and this is why
  std::string transport_error;  ///< its transport failed, perhaps because of another rank
  bool leaving = false;         ///< it makes no more calls
  std::uint64_t exchanges = 0;  ///< that it has taken part in
  std::string text;             ///< its input to the last one
};

/// What rank 0 sends to each rank.
struct GroupState {
  std::string failure;             ///< the group's error
  bool may_leave = false;          ///< the rank may close its connection
  std::uint64_t exchanges = 0;     ///< that are complete
  std::vector<std::string> texts;  ///< of all ranks, in the last one
};

/// One of these messages as bytes, and back. @throws Error for bytes that encode did not make.
///@{
template <class Message>
std::string encode(const Message& message);
template <class Message>
Message decode(const std::string& bytes);
///@}

}  // namespace td::distributed
