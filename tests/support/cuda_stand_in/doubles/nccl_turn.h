// Which communicator occupies a device, in runs with TD_STAND_IN_NCCL=one_at_a_time. NCCL promises
// only that operations of one communicator can run: where a GPU has no room for the kernels of two,
// a program in which one communicator's operation needs another's hangs. In such runs an operation
// begins only when no other communicator runs one on the device. The communicators
// (nccl_communicator.cpp) are the only user. All functions are thread-safe.
#pragma once

#include <string>

struct ncclComm;

namespace cuda_stand_in {

/// True when the operation may run now. Refuses an operation that has waited too long for another
/// communicator's: for 10 seconds, or as many milliseconds as the setting names
/// (TD_STAND_IN_NCCL=one_at_a_time:500).
bool take_turn(const ncclComm& comm, const std::string& operation);
/// The communicator's operation has ended.
void end_turn(const ncclComm& comm);

}  // namespace cuda_stand_in
