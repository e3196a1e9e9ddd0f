// A group that keeps a record of its latest calls, as PyTorch's flight recorder does, and ranks
// that are threads with such groups. Included by the program hang and by the test of diagnose_hang.
#pragma once

#include "distributed/thread_group.h"
#include "exercises.h"

/// Records each collective of one rank, and then passes it on to the rank's group.
class RecordedGroup : public ProcessGroup {
 public:
  /// @param group, records outlive this object. @param room calls that are kept.
  RecordedGroup(ProcessGroup& group, CallRecords& records, std::size_t room)
      : ProcessGroup(group.rank(), group.size()), group_(group), records_(records), room_(room) {}
  const char* transport() const override { return group_.transport(); }

 protected:
  std::shared_ptr<td::distributed::Work> start(td::distributed::Collective call) override {
    using td::distributed::CollectiveType;
    records_.calls.push_back(call.key);
    if (records_.calls.size() > room_) records_.calls.erase(records_.calls.begin());
    switch (call.key.type) {
      case CollectiveType::kAllReduce:
        return group_.all_reduce(call.output, call.key.reduce);
      case CollectiveType::kBroadcast:
        return group_.broadcast(call.output, call.key.peer);
      case CollectiveType::kBarrier:
        return group_.barrier();
      default:
        throw td::Error("RecordedGroup passes on all_reduce, broadcast and barrier only");
    }
  }

 private:
  ProcessGroup& group_;
  CallRecords& records_;
  std::size_t room_;
};

/// Calls `work` in `ranks` threads, and returns the latest calls of each rank. Each rank ends with
/// a barrier that is not recorded, so that all ranks come to their last call before the group
/// fails.
inline std::vector<CallRecords> record_ranks(int ranks,
                                             const std::function<void(ProcessGroup&)>& work,
                                             std::size_t room = 4) {
  std::vector<CallRecords> records(static_cast<std::size_t>(ranks));
  const auto recorded = [&](ProcessGroup& group) {
    RecordedGroup mine(group, records[static_cast<std::size_t>(group.rank())], room);
    work(mine);
    group.barrier()->wait();
  };
  try {
    td::distributed::run_as_threads(ranks, recorded);
  } catch (const td::distributed::DistributedError&) {  // the records show why
  }
  return records;
}
