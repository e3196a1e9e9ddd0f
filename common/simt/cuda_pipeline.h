// cuda::pipeline of libcu++, for kernels on sim: asynchronous copies in stages, which producers
// fill and consumers release.
//
// Invariant: a stage has a barrier for "full" and one for "empty", whose phases count its uses.
#pragma once

#include "simt/cuda_barrier.h"

namespace cuda {

enum class pipeline_role { producer, consumer };

template <thread_scope scope, std::size_t stages>
struct pipeline_shared_state {
  barrier<scope> full[stages], empty[stages];
  unsigned producers = 0, consumers = 0;
};

/// Of one thread alone, or of the threads that share a state.
template <thread_scope scope>
class pipeline {
 public:
  pipeline() = default;
  TD_SIMT_INLINE pipeline(barrier<scope>* full, barrier<scope>* empty, std::size_t stages,
                          bool is_divided)
      : full_(full), empty_(empty), stages_(stages), is_divided_(is_divided) {}

  TD_SIMT_INLINE void producer_acquire() {
    if (empty_) empty_[head_ % stages_].wait_for_phase(head_ / stages_);
  }
  TD_SIMT_INLINE void producer_commit() {
    td::simt::async_commit();
    if (is_divided_) full_[head_ % stages_].arrive();
    ++head_;
  }
  TD_SIMT_INLINE void consumer_wait() {
    if (!is_divided_) td::simt::async_wait(head_ - tail_ - 1);
    if (is_divided_)
      full_[tail_ % stages_].wait_for_phase(tail_ / stages_ + 1);
    else if (full_)
      full_[tail_ % stages_].arrive_and_wait();
  }
  TD_SIMT_INLINE void consumer_release() {
    if (empty_) empty_[tail_ % stages_].arrive();
    ++tail_;
  }
  /// Waits for all but the last `left` stages that were committed.
  TD_SIMT_INLINE void wait_prior(std::size_t left) {
    td::simt::async_wait(left);
    tail_ = head_ - left;
  }
  TD_SIMT_INLINE bool quit() { return true; }

 private:
  barrier<scope>* full_ = nullptr;
  barrier<scope>* empty_ = nullptr;
  std::size_t stages_ = 1, head_ = 0, tail_ = 0;
  bool is_divided_ = false;  // threads are producers or consumers
};

TD_SIMT_INLINE pipeline<thread_scope_thread> make_pipeline() { return {}; }
template <class Group, thread_scope scope, std::size_t stages>
TD_SIMT_INLINE pipeline<scope> make_pipeline(const Group& group,
                                             pipeline_shared_state<scope, stages>* state,
                                             std::size_t producers, std::size_t consumers,
                                             bool is_divided) {
  if (group.thread_rank() == 0)
    for (std::size_t i = 0; i < stages; ++i) {
      init(&state->full[i], static_cast<std::ptrdiff_t>(producers));
      init(&state->empty[i], static_cast<std::ptrdiff_t>(consumers));
    }
  group.sync();
  return {state->full, state->empty, stages, is_divided};
}
/// All threads are producers and consumers; or `producers` of them are; or each says what it is.
///@{
template <class Group, thread_scope scope, std::size_t stages>
TD_SIMT_INLINE pipeline<scope> make_pipeline(const Group& group,
                                             pipeline_shared_state<scope, stages>* state) {
  return make_pipeline(group, state, group.size(), group.size(), false);
}
template <class Group, thread_scope scope, std::size_t stages>
TD_SIMT_INLINE pipeline<scope> make_pipeline(const Group& group,
                                             pipeline_shared_state<scope, stages>* state,
                                             std::size_t producers) {
  return make_pipeline(group, state, producers, group.size() - producers, true);
}
template <class Group, thread_scope scope, std::size_t stages>
TD_SIMT_INLINE pipeline<scope> make_pipeline(const Group& group,
                                             pipeline_shared_state<scope, stages>* state,
                                             pipeline_role role) {
  if (group.thread_rank() == 0) state->producers = state->consumers = 0;
  group.sync();
  atomicAdd(role == pipeline_role::producer ? &state->producers : &state->consumers, 1u);
  group.sync();
  return make_pipeline(group, state, state->producers, state->consumers, true);
}
///@}

/// Copies of the stage that the thread, or the group, fills.
///@{
template <class Group, class T, class Size, thread_scope scope>
TD_SIMT_INLINE void memcpy_async(const Group& group, T* to, const T* from, Size bytes,
                                 pipeline<scope>&) {
  td::simt::share_copy(group, to, from, bytes);
}
template <class T, class Size, thread_scope scope>
TD_SIMT_INLINE void memcpy_async(T* to, const T* from, Size bytes, pipeline<scope>& p) {
  memcpy_async(SingleThread(), to, from, bytes, p);
}
///@}
template <unsigned left>
TD_SIMT_INLINE void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>& p) {
  p.wait_prior(left);
}

}  // namespace cuda
