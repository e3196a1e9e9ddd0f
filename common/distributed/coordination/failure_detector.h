// What rank 0 knows of all ranks, and its diagnosis of that. A pure function, so that each result
// can be tested without a process. Coordinator calls it many times a second.
#pragma once

#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "distributed/collective.h"
#include "distributed/rendezvous/rendezvous.h"

namespace td::distributed {

/// The calls of a rank; trivially copyable, because it travels as it is.
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

  /// The calls that it is in: one of each kind at most.
  ///@{
  Call collective, send, receive;
  ///@}
  CollectiveFingerprint finished;  ///< the last collective; sequence 0: none yet
  std::array<CollectiveFingerprint, kKept>
      started;  ///< the last ones, each at its sequence % kKept
};

/// What a rank says of itself to rank 0.
struct RankState {
  Heartbeat heartbeat;          ///< its calls
  std::string error;            ///< it has failed by itself, and this is why
  std::string transport_error;  ///< its transport failed, perhaps because of another rank
  bool leaving = false;         ///< it makes no more calls
  std::uint64_t exchanges = 0;  ///< to which it has come
  std::string text;             ///< what it brings to the last one
};

/// One rank as rank 0 sees it.
struct RankReport : RankState {
  /// Whether it still takes part.
  enum class State : std::uint8_t {
    kHere,  ///< it does
    kLeft,  ///< it has ended its group
    kGone   ///< its connection ended before it had left
  };
  HostInfo host;                                     ///< who it is
  State state = State::kHere;                        ///< see State
  std::chrono::milliseconds age{0};                  ///< of the last it said
  std::chrono::milliseconds transport_error_age{0};  ///< of `transport_error`
};

/// How long ranks may wait and be silent.
struct Limits {
  std::chrono::milliseconds timeout{30'000};            ///< for a call
  std::chrono::milliseconds heartbeat_timeout{10'000};  ///< without any sign of life
};

/// Why the group cannot go on, or nothing while it can.
std::string diagnose_failure(const std::vector<RankReport>& reports, const Limits& limits);

/// Parts of diagnose_failure that a rank says of rank 0 by itself.
///@{
std::string gone_text(int rank, const HostInfo& host);
std::string silent_text(int rank, const HostInfo& host,
                        std::chrono::milliseconds heartbeat_timeout);
///@}

}  // namespace td::distributed
