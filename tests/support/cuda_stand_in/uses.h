// What operations do with memory: whether it exists, and whether other operations that are not
// ordered use it too. Launches, library calls, copies and graphs come through here. Invariant:
// called with State::mutex held; work that is rejected was not queued.
#pragma once

#include "state.h"

namespace cuda_stand_in {

/// Rejects a launch or copy while an error of an earlier call in this thread was not read.
cudaError_t check_status(State& all, const char* call);
/// Rejects memory that an operation of `device` must not use.
cudaError_t check_memory(State& all, const char* call, const Operation& operation, int device);
/// Refuses the operation where a use conflicts with an earlier one that it does not come after.
cudaError_t check_races(State& all, const char* call, Stream& stream, const Operation& operation);
/// Keeps the uses for later comparisons; the operation is the next item of the stream.
void note_uses(State& all, const Stream& stream, const Operation& operation);
/// Checks all of this but the memory, and puts the operation into the stream's queue, or into its
/// capture.
cudaError_t put_operation(State& all, const char* call, Stream& stream, Operation operation,
                          Lock& lock);
/// The sentence about two operations that nothing orders.
std::string race_text(const State& all, const Access& earlier, const Access& access);

}  // namespace cuda_stand_in
