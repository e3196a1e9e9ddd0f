// The causes, the most certain first: a failed rank explains why others wait, not vice versa.
#include "distributed/coordination/failure_detector.h"

namespace td::distributed {
namespace {

using std::chrono::milliseconds;
using Reports = std::vector<RankReport>;

// A transport's error is often caused by a rank failure that is detected a moment later.
constexpr milliseconds kEcho(300);
// Reports of two ranks are not from the same moment. Calls that lasted this long did overlap.
constexpr milliseconds kSurely(1000);

milliseconds lasted(const RankReport& report, const Heartbeat::Call& call) {
  return milliseconds(call.milliseconds) + report.age;
}

std::string errors(const Reports& reports, const Limits& limits) {
  for (const RankReport& report : reports)
    if (!report.error.empty()) return report.error;
  for (std::size_t r = 0; r < reports.size(); ++r)
    if (reports[r].state == RankReport::State::kGone)
      return gone_text(static_cast<int>(r), reports[r].host);
  for (std::size_t r = 0; r < reports.size(); ++r)
    if (reports[r].state == RankReport::State::kHere && reports[r].age > limits.heartbeat_timeout)
      return silent_text(static_cast<int>(r), reports[r].host, limits.heartbeat_timeout);
  for (std::size_t r = 0; r < reports.size(); ++r)
    if (!reports[r].transport_error.empty() && reports[r].transport_error_age > kEcho)
      return describe(static_cast<int>(r), reports[r].host) +
             " cannot go on: " + reports[r].transport_error;
  return {};
}

// Rank `gone` ended its group while `waiting` is in a call.
std::string left_while_waiting(int gone, int waiting, const CollectiveFingerprint& key) {
  return "rank " + std::to_string(gone) + " has left the group while rank " +
         std::to_string(waiting) + " is in " + describe(key) +
         ". All ranks must make as many calls: has one of them fewer batches, or an error?";
}

// The earliest collective that some rank is in; 0 when none is.
std::uint64_t earliest(const Reports& reports) {
  std::uint64_t sequence = 0;
  for (const RankReport& report : reports) {
    const Heartbeat::Call& call = report.heartbeat.collective;
    if (call.running() && (!sequence || call.key.sequence < sequence)) sequence = call.key.sequence;
  }
  return sequence;
}

bool has_started(const RankReport& report, std::uint64_t sequence) {
  return report.heartbeat.started[sequence % Heartbeat::kKept].sequence >= sequence;
}

std::string collectives(const Reports& reports, const Limits& limits) {
  const std::uint64_t sequence = earliest(reports);
  if (!sequence) return {};
  std::vector<CollectiveFingerprint> calls;
  std::string missing, finished;
  int waiting = -1, left = -1;
  for (std::size_t r = 0; r < reports.size(); ++r) {
    const RankReport& report = reports[r];
    const Heartbeat::Call& call = report.heartbeat.collective;
    const CollectiveFingerprint& key = report.heartbeat.started[sequence % Heartbeat::kKept];
    if (key.sequence == sequence) calls.push_back(key);
    if (waiting < 0 && call.running() && call.key.sequence == sequence)
      waiting = static_cast<int>(r);
    if (has_started(report, sequence)) continue;
    if (left < 0 && report.state == RankReport::State::kLeft) left = static_cast<int>(r);
    const CollectiveFingerprint& last = report.heartbeat.finished;
    missing += (missing.empty() ? "rank " : ", rank ") + std::to_string(r);
    finished += ". Rank " + std::to_string(r) + " last finished " +
                (last.sequence ? describe(last) : "no call yet");
  }
  const RankReport& waiter = reports[waiting];
  const CollectiveFingerprint& key = waiter.heartbeat.collective.key;
  if (left >= 0) return left_while_waiting(left, waiting, key);
  if (calls.size() == reports.size())
    if (const std::string text = mismatch(calls); !text.empty()) return text;
  if (lasted(waiter, waiter.heartbeat.collective) < limits.timeout) return {};
  if (missing.empty())
    return "all ranks have come to " + describe(key) + ", but it did not end within " +
           in_words(limits.timeout) + ": is the network between them down, or too slow?";
  return missing + " did not come to " + describe(key) + " within " + in_words(limits.timeout) +
         finished;
}

std::string between_two(const Reports& reports, const Limits& limits, int rank,
                        const Heartbeat::Call& call) {
  const RankReport& report = reports[rank];
  if (!call.running() || lasted(report, call) < kSurely) return {};
  const int peer = call.key.peer;
  const RankReport& other = reports[peer];
  if (other.state == RankReport::State::kLeft) return left_while_waiting(peer, rank, call.key);
  const bool sends = call.key.type == CollectiveType::kSend;
  const Heartbeat::Call& taken = other.heartbeat.receive;
  if (sends && taken.running() && taken.key.peer == rank && taken.key.tag == call.key.tag &&
      lasted(other, taken) > kSurely &&
      (taken.key.numel != call.key.numel || taken.key.dtype != call.key.dtype))
    return p2p_mismatch(rank, call.key, peer, taken.key);
  if (lasted(report, call) < limits.timeout) return {};
  return "rank " + std::to_string(peer) + (sends ? " did not take " : " did not send for ") +
         describe(call.key) + " of rank " + std::to_string(rank) + " within " +
         in_words(limits.timeout);
}

}  // namespace

std::string gone_text(int rank, const HostInfo& host) {
  return describe(rank, host) +
         " is gone: it was killed, crashed or ended without leaving the group. Its own output may "
         "say why";
}

std::string silent_text(int rank, const HostInfo& host, milliseconds heartbeat_timeout) {
  return describe(rank, host) + " has been silent for " + in_words(heartbeat_timeout) +
         ": it is stopped, or its host or the network to it is down";
}

std::string diagnose_failure(const Reports& reports, const Limits& limits) {
  if (std::string text = errors(reports, limits); !text.empty()) return text;
  if (std::string text = collectives(reports, limits); !text.empty()) return text;
  for (int rank = 0; rank < static_cast<int>(reports.size()); ++rank)
    for (const Heartbeat::Call* call :
         {&reports[rank].heartbeat.send, &reports[rank].heartbeat.receive})
      if (std::string text = between_two(reports, limits, rank, *call); !text.empty()) return text;
  return {};
}

}  // namespace td::distributed
