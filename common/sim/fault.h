// The report of a touch of fenced memory: what was touched, whose it is, and the cure; then the
// process ends with exit code 70 and without a core file.
#pragma once

namespace td::sim {

/// Takes over SIGSEGV; faults elsewhere still go to the handler that was there before.
void install_fault_reporter();

/// While it lives, faults of this thread are the named record's, not the host's.
class RunningRecord {
 public:
  RunningRecord(const char* name, int index);
  ~RunningRecord();
  RunningRecord(const RunningRecord&) = delete;
  RunningRecord& operator=(const RunningRecord&) = delete;
};

}  // namespace td::sim
