// What rank 0 knows about all ranks, and its diagnosis. A pure function, so that each result can be
// tested without a process. Rank 0 calls it many times per second.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "distributed/coordination/messages.h"

namespace td::distributed {

/// One rank as rank 0 sees it.
struct RankReport : RankState {
  using Clock = std::chrono::steady_clock;
  /// Whether it still takes part.
  enum class State : std::uint8_t {
    kHere,  ///< it does
    kLeft,  ///< it has ended its group
    kGone   ///< its connection ended before it had left
  };
  HostInfo host;                                     ///< where it runs
  State state = State::kHere;                        ///< see State
  Clock::time_point last_message = Clock::now();     ///< the time of its last message
  Clock::time_point transport_error_since;           ///< when `transport_error` was new
  std::chrono::milliseconds age{0};                  ///< of its last message
  std::chrono::milliseconds transport_error_age{0};  ///< of `transport_error`
  std::string sent;                                  ///< the last message to it
};

/// How long ranks may wait, and how long they may send no message.
struct Limits {
  std::chrono::milliseconds timeout{30'000};            ///< for a call
  std::chrono::milliseconds heartbeat_timeout{10'000};  ///< without any message
};

/// Returns why the group cannot continue, or an empty string while it can.
std::string diagnose_failure(const std::vector<RankReport>& reports, const Limits& limits);

/// Messages of diagnose_failure that another rank also uses itself, about rank 0.
///@{
std::string gone_text(int rank, const HostInfo& host);
std::string silent_text(int rank, const HostInfo& host,
                        std::chrono::milliseconds heartbeat_timeout);
///@}

}  // namespace td::distributed
