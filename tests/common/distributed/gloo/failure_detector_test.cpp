// Diagnoses of made-up reports: which of several causes is named, and which reports are no fault.
#include "distributed/coordination/failure_detector.h"
#include "catch.h"

using namespace td::distributed;
using std::chrono::milliseconds;

namespace {

const Limits kLimits{milliseconds(30000), milliseconds(10000)};

std::vector<RankReport> healthy(std::size_t ranks) {
  std::vector<RankReport> reports(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    reports[r].host.hostname = "alpha";
    reports[r].host.pid = 100 + static_cast<int>(r);
  }
  return reports;
}

CollectiveFingerprint key(CollectiveType type, std::uint64_t sequence, std::int64_t numel = 4) {
  CollectiveFingerprint result;
  result.type = type;
  result.sequence = sequence;
  result.numel = numel;
  return result;
}

void start(RankReport& report, const CollectiveFingerprint& call, std::int64_t for_ms) {
  report.heartbeat.started[call.sequence % Heartbeat::kKept] = call;
  report.heartbeat.collective = {call, for_ms};
}

void finish(RankReport& report, const CollectiveFingerprint& call) {
  start(report, call, -1);
  report.heartbeat.finished = call;
}

}  // namespace

TEST_CASE("ranks that compute or wait within the limits cause no error") {
  auto reports = healthy(3);
  CHECK(diagnose_failure(reports, kLimits) == "");
  start(reports[1], key(CollectiveType::kAllReduce, 1), 29000);
  CHECK(diagnose_failure(reports, kLimits) == "");
  finish(reports[1], key(CollectiveType::kAllReduce, 1));
  start(reports[2], key(CollectiveType::kAllReduce, 1), 0);
  CHECK(diagnose_failure(reports, kLimits) == "");
  reports[1].state = RankReport::State::kLeft;  // it has made as many calls as the others so far
  CHECK(diagnose_failure(reports, kLimits) == "");
}

TEST_CASE("a failed rank is reported rather than the errors that follow from its failure") {
  auto reports = healthy(3);
  start(reports[0], key(CollectiveType::kAllReduce, 7), 60000);
  reports[0].transport_error = "all_reduce #7: Connection closed by peer";
  reports[0].transport_error_age = milliseconds(100);
  reports[1].state = RankReport::State::kLeft;
  reports[2].state = RankReport::State::kGone;
  CHECK(
      diagnose_failure(reports, kLimits) ==
      "rank 2 (process 102 on alpha) is gone: it was killed, crashed or ended without leaving the "
      "group. Its own output may say why");
  reports[1].error = "rank 1 ended with an error";
  CHECK(diagnose_failure(reports, kLimits) == "rank 1 ended with an error");
}

TEST_CASE("an error of the transport is reported when nothing explains it") {
  auto reports = healthy(2);
  start(reports[1], key(CollectiveType::kBroadcast, 3), 5);
  reports[1].transport_error = "broadcast #3: Broken pipe";
  reports[1].transport_error_age = milliseconds(100);
  CHECK(diagnose_failure(reports, kLimits) == "");
  reports[1].transport_error_age = milliseconds(400);
  CHECK(diagnose_failure(reports, kLimits) ==
        "rank 1 (process 101 on alpha) cannot go on: broadcast #3: Broken pipe");
}

TEST_CASE("the heartbeat timeout runs from the last report, and ends when a rank leaves") {
  auto reports = healthy(2);
  reports[1].age = milliseconds(10001);
  CHECK(diagnose_failure(reports, kLimits) ==
        "rank 1 (process 101 on alpha) has been silent for 10 s: it is stopped, or its host or the "
        "network to it is down");
  reports[1].state = RankReport::State::kLeft;
  CHECK(diagnose_failure(reports, kLimits) == "");
}

TEST_CASE("mismatched calls are reported when all have arrived, also to a finished rank") {
  auto reports = healthy(3);
  start(reports[0], key(CollectiveType::kAllReduce, 9), 10);
  start(reports[2], key(CollectiveType::kAllReduce, 9, 5), 10);
  CHECK(diagnose_failure(reports, kLimits) == "");  // rank 1 has not called yet
  finish(reports[1], key(CollectiveType::kAllReduce, 9));
  start(reports[1], key(CollectiveType::kBarrier, 10, 0), 10);
  CHECK(
      diagnose_failure(reports, kLimits)
          .find(
              "the ranks do not make the same call: rank 0 makes all_reduce #9 (sum, 4 x float32), "
              "rank 1 makes all_reduce #9 (sum, 4 x float32), rank 2 makes all_reduce #9 (sum, 5 x "
              "float32). ") == 0);
}

TEST_CASE("the ranks that missed the timeout are named, or the network if none did") {
  auto reports = healthy(3);
  for (auto& report : reports) finish(report, key(CollectiveType::kBarrier, 1, 0));
  start(reports[0], key(CollectiveType::kAllReduce, 2), 29900);
  CHECK(diagnose_failure(reports, kLimits) == "");
  reports[0].age = milliseconds(100);  // the report is as old as that
  CHECK(diagnose_failure(reports, kLimits) ==
        "rank 1, rank 2 did not come to all_reduce #2 (sum, 4 x float32) within 30 s. Rank 1 last "
        "finished barrier #1. Rank 2 last finished barrier #1");
  start(reports[1], key(CollectiveType::kAllReduce, 2), 29000);
  start(reports[2], key(CollectiveType::kAllReduce, 2), 0);
  CHECK(
      diagnose_failure(reports, kLimits) ==
      "all ranks have come to all_reduce #2 (sum, 4 x float32), but it did not end within 30 s: is "
      "the network between them down, or too slow?");
}

TEST_CASE("a message without a sender or a receiver is reported after the timeout") {
  auto reports = healthy(2);
  CollectiveFingerprint parcel = key(CollectiveType::kReceive, 0);
  parcel.peer = 0;
  reports[1].heartbeat.receive = {parcel, 29000};
  CHECK(diagnose_failure(reports, kLimits) == "");
  reports[1].heartbeat.receive.milliseconds = 30000;
  CHECK(diagnose_failure(reports, kLimits) ==
        "rank 0 did not send for recv (from rank 0, 4 x float32) of rank 1 within 30 s");
  reports[0].state = RankReport::State::kLeft;
  CHECK(diagnose_failure(reports, kLimits)
            .find("rank 0 has left the group while rank 1 is in recv (") == 0);
}
