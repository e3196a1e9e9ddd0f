// The thread that looks after the works of a NcclQueue: it tells the control plane where this rank
// is, finds what does not end, and gives NCCL up when the group has failed.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <utility>

#include "distributed/planes/nccl_queue.h"

namespace td::distributed {
namespace {

// NCCL reports no peer that died on this host, so works are looked after this often.
constexpr std::chrono::milliseconds kTick(100), kTickOfDraining(1);
// Giving up may hang with the GPU that is at fault.
constexpr std::chrono::seconds kGiveUp(5);

int lane_of(CollectiveType type) {
  if (type == CollectiveType::kSend) return 1;
  return type == CollectiveType::kReceive ? 2 : 0;
}

}  // namespace

void NcclQueue::watch() {
  Lock lock(mutex_);
  while (true) {
    const bool failed = !failure_.empty(), stopped = stopped_;
    lock.unlock();
    if (failed)
      give_up();
    else if (const std::string why = look_after_works(); !why.empty())
      fail(why);
    if (stopped) return;
    lock.lock();
    if (works_.empty()) changed_.notify_all();  // for drain
    if (failure_.empty() == !failed && !stopped_)
      changed_.wait_for(lock, draining_ ? kTickOfDraining : kTick);
  }
}

// Three lanes of calls that are told to the observer one after another. Returns what is wrong.
std::string NcclQueue::look_after_works() try {
  Works works;
  {
    Lock lock(mutex_);
    works = works_;
  }
  bool busy[3] = {};
  for (const auto& work : works) {
    bool& lane_is_busy = busy[lane_of(work->key_.type)];
    if (lane_is_busy) continue;
    tell_started(*work);
    if (work->done_.query()) {
      tell_finished(work);
    } else {
      lane_is_busy = true;
      if (Clock::now() - work->since_ > timeout_) return too_long(*work);
    }
  }
  for (const auto& communicator : communicators_) communicator->ready();
  return {};
} catch (const Error& e) {  // of NCCL, or of a GPU that cannot be asked any more
  return "rank " + std::to_string(rank_) + ": " + e.what();
}

void NcclQueue::tell_started(NcclWork& work) {
  if (std::exchange(work.told_, true)) return;
  work.since_ = Clock::now();  // earlier calls kept it waiting until now
  if (observer_) observer_->started(work.key_);
}

void NcclQueue::tell_finished(const std::shared_ptr<NcclWork>& work) {
  if (observer_) observer_->finished(work->key_);
  Lock lock(mutex_);
  if (work->key_.sequence) finished_ = work->key_;
  works_.erase(std::find(works_.begin(), works_.end(), work));
}

std::string NcclQueue::too_long(const NcclWork& work) const {
  std::string text = "rank " + std::to_string(rank_) + ": " + describe(work.key_) + " on " +
                     device_.str() + " has not ended within " + std::to_string(timeout_.count()) +
                     " ms; ";
  text += finished_.sequence ? "the last call that ended is " + describe(finished_)
                             : std::string("no call has ended before");
  return text + ". A rank has not made this call, or its GPU is stuck";
}

// A GPU that waits for a dead rank keeps whoever waits for it. When NCCL cannot end that, leaving
// the process can.
void NcclQueue::give_up() {
  if (std::exchange(given_up_, true)) return;
  std::promise<void> over;
  const auto ended = over.get_future();
  std::thread([communicators = communicators_, over = std::move(over)]() mutable {
    for (const auto& communicator : communicators) communicator->abort();
    over.set_value();
  }).detach();
  if (ended.wait_for(kGiveUp) == std::future_status::ready) return;
  std::fprintf(stderr, "%s\nNCCL on %s cannot be ended; the process ends instead\n",
               failure_.c_str(), device_.str().c_str());
  std::_Exit(1);
}

}  // namespace td::distributed
