// When and in which order queued work runs. The calls of the runtime queue items and wait for
// marks; one thread of the process, the executor, runs one operation at a time, in the order of
// TD_STAND_IN_ORDER. In `eager` the thread that queues an item runs it if it can continue.
// Invariant: every function is called with State::mutex held; operations run without it.
#pragma once

#include "state.h"

namespace cuda_stand_in {

/// Puts an item into a stream's queue. Gives the lock back meanwhile.
void put(State& all, Stream& stream, Item item, Lock& lock);
/// The point after all that the stream holds.
MarkPtr mark_here(const State& all, const Stream& stream);
/// Whether the stream has reached it.
bool is_reached(const Mark& mark);
/// Whether a query may return that. If it may, the host comes after the mark. If not, work that is
/// queried often must run.
bool query(State& all, Mark& mark);
/// Blocks until the marks are reached, or until `device` fails. The host comes after them.
void wait_for(State& all, const std::vector<MarkPtr>& marks, const Device& device, Lock& lock);
/// All that is queued must run.
void need_all(State& all);
/// Wakes the executor and the waiting host threads, after a change that is not an item's end.
void wake(State& all);

}  // namespace cuda_stand_in
