// The verdicts, the surest first: a rank that died explains why others wait, not the other way.
#include "distributed/control/judge.h"

#include <algorithm>

#include "distributed/mismatch.h"

namespace td::distributed {
namespace {

using std::chrono::milliseconds;
using Reports = std::vector<Report>;

// A data plane's error is often the echo of a death that is about to be seen.
constexpr milliseconds kEcho(300);
// Reports of two ranks are not of one moment. Calls that lasted this long were there together.
constexpr milliseconds kSurely(1000);

milliseconds lasted(const Report& report, const Status::Call& call) {
  return milliseconds(call.milliseconds) + report.age;
}

std::string errors(const Reports& reports, const Limits& limits) {
  for (const Report& report : reports)
    if (!report.error.empty()) return report.error;
  for (std::size_t r = 0; r < reports.size(); ++r)
    if (reports[r].state == Report::State::kGone)
      return gone_text(static_cast<int>(r), reports[r].member);
  for (std::size_t r = 0; r < reports.size(); ++r)
    if (reports[r].state == Report::State::kHere && reports[r].age > limits.silence)
      return silent_text(static_cast<int>(r), reports[r].member, limits.silence);
  for (std::size_t r = 0; r < reports.size(); ++r)
    if (!reports[r].trouble.empty() && reports[r].trouble_age > kEcho)
      return describe(static_cast<int>(r), reports[r].member) +
             " cannot go on: " + reports[r].trouble;
  return {};
}

// The earliest collective that some rank is in; 0 when none is.
std::uint64_t earliest(const Reports& reports) {
  std::uint64_t sequence = 0;
  for (const Report& report : reports) {
    const Status::Call& call = report.status.collective;
    if (call.running() && (!sequence || call.key.sequence < sequence)) sequence = call.key.sequence;
  }
  return sequence;
}

bool has_started(const Report& report, std::uint64_t sequence) {
  return report.status.started[sequence % Status::kKept].sequence >= sequence;
}

std::string collectives(const Reports& reports, const Limits& limits) {
  const std::uint64_t sequence = earliest(reports);
  if (!sequence) return {};
  std::vector<CollectiveKey> calls;
  std::string missing, finished;
  int waiting = -1, left = -1;
  for (std::size_t r = 0; r < reports.size(); ++r) {
    const Report& report = reports[r];
    const Status::Call& call = report.status.collective;
    const CollectiveKey& key = report.status.started[sequence % Status::kKept];
    if (key.sequence == sequence) calls.push_back(key);
    if (waiting < 0 && call.running() && call.key.sequence == sequence)
      waiting = static_cast<int>(r);
    if (has_started(report, sequence)) continue;
    if (left < 0 && report.state == Report::State::kLeft) left = static_cast<int>(r);
    const CollectiveKey& last = report.status.finished;
    missing += (missing.empty() ? "rank " : ", rank ") + std::to_string(r);
    finished += ". Rank " + std::to_string(r) + " last finished " +
                (last.sequence ? describe(last) : "no call yet");
  }
  const Report& waiter = reports[waiting];
  const CollectiveKey& key = waiter.status.collective.key;
  if (left >= 0) return left_while_waiting(left, waiting, key);
  if (calls.size() == reports.size())
    if (const std::string text = mismatch(calls); !text.empty()) return text;
  if (lasted(waiter, waiter.status.collective) < limits.timeout) return {};
  if (missing.empty())
    return "all ranks have come to " + describe(key) + ", but it did not end within " +
           in_words(limits.timeout) + ": is the network between them down, or too slow?";
  return did_not_come(missing, key, limits.timeout) + finished;
}

std::string between_two(const Reports& reports, const Limits& limits, int rank,
                        const Status::Call& call) {
  const Report& report = reports[rank];
  if (!call.running() || lasted(report, call) < kSurely) return {};
  const int peer = call.key.peer;
  const Report& other = reports[peer];
  if (other.state == Report::State::kLeft) return left_while_waiting(peer, rank, call.key);
  const bool sends = call.key.type == CollectiveType::kSend;
  const Status::Call& taken = other.status.receive;
  if (sends && taken.running() && taken.key.peer == rank && taken.key.tag == call.key.tag &&
      lasted(other, taken) > kSurely &&
      (taken.key.numel != call.key.numel || taken.key.dtype != call.key.dtype))
    return unequal_parcel(rank, call.key, peer, taken.key);
  if (lasted(report, call) < limits.timeout) return {};
  return "rank " + std::to_string(peer) + (sends ? " did not take " : " did not send for ") +
         describe(call.key) + " of rank " + std::to_string(rank) + " within " +
         in_words(limits.timeout);
}

}  // namespace

std::string gone_text(int rank, const Member& member) {
  return describe(rank, member) +
         " is gone: it was killed, crashed or ended without leaving the group. Its own output may "
         "say why";
}

std::string silent_text(int rank, const Member& member, milliseconds silence) {
  return describe(rank, member) + " has been silent for " + in_words(silence) +
         ": it is stopped, or its host or the network to it is down";
}

std::string judge(const Reports& reports, const Limits& limits) {
  if (std::string text = errors(reports, limits); !text.empty()) return text;
  if (std::string text = collectives(reports, limits); !text.empty()) return text;
  for (int rank = 0; rank < static_cast<int>(reports.size()); ++rank)
    for (const Status::Call* call : {&reports[rank].status.send, &reports[rank].status.receive})
      if (std::string text = between_two(reports, limits, rank, *call); !text.empty()) return text;
  return {};
}

}  // namespace td::distributed
