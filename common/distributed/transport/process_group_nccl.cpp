// The calls of the group on its GPU: how they are submitted to NCCL, and the threads that watch
// them, because NCCL itself does not report that a rank is missing. Their calls to NCCL are in
// nccl_calls.cpp.
#include "distributed/transport/process_group_nccl.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "td/ops/ops.h"

namespace td::distributed {
namespace {

constexpr std::chrono::microseconds kPause(100);
// NCCL should queue most calls within some ten microseconds, less than the shortest sleep takes
// (not measured on a GPU yet).
constexpr int kAnswersBeforeSleep = 1000;
// How often a call is checked, and how often while the group waits for its last calls.
constexpr std::chrono::milliseconds kTick(100), kTickOfClosing(1);

}  // namespace

/// A call in flight. Its tensors are released when it is submitted: from then on the allocator
/// knows which stream uses their memory.
class NcclWork final : public Work {
 public:
  NcclWork(Collective collective, std::shared_ptr<NcclCalls> calls, Device device)
      : call_(std::move(collective)),
        device_(device),
        ready_(device.type()),
        done_(device.type()),
        calls_(std::move(calls)) {
    ready_.record(getCurrentStream(device));
  }
  void wait() override;
  bool is_completed() const override;

 private:
  friend class NcclCalls;

  Collective call_;
  const Device device_;
  Event ready_;  // recorded after the work that produces the tensors
  Event done_;   // recorded when it is submitted
  std::atomic<bool> submitted_{false};
  std::chrono::steady_clock::time_point watched_since_{};
  const std::shared_ptr<NcclCalls> calls_;
};

/// What the group and its works share. `mutex_` is never held while a thread waits for a GPU.
class NcclCalls : public std::enable_shared_from_this<NcclCalls> {
 public:
  using Clock = std::chrono::steady_clock;
  using Lock = std::unique_lock<std::mutex>;
  using Works = std::vector<std::shared_ptr<NcclWork>>;
  using Queue = std::deque<std::shared_ptr<NcclWork>>;

  NcclCalls(int rank, std::chrono::milliseconds timeout, Device device_,
            std::vector<std::shared_ptr<Communicator>> communicators,
            std::shared_ptr<CollectiveObserver> observer)
      : device(device_),
        rank_(rank),
        timeout_(timeout),
        communicators_(std::move(communicators)),
        observer_(std::move(observer)),
        collective_stream_(getStreamFromPool(device, true)),
        p2p_stream_(getStreamFromPool(device, true)),
        barrier_tensor_(zeros({1}, TensorOptions().device(device))),
        watcher_([this] { watch(); }) {
    if (observer_) observer_->on_failure([this](const std::string& why) { fail(why); });
  }

  std::shared_ptr<Work> start(Collective call) {
    if (call.key.type == CollectiveType::kBarrier) call.input = call.output = barrier_tensor_;
    auto work = std::make_shared<NcclWork>(std::move(call), shared_from_this(), device);
    if (work->call_.key.sequence == 0) {  // a send or a receive
      Lock lock(mutex_);
      pending_p2p_.push_back(work);
    } else {
      submit(collective_stream_, *communicators_.front(), {work});
    }
    return work;
  }

  void start_p2p() {
    Works works;
    {
      Lock lock(mutex_);
      works.swap(pending_p2p_);
    }
    if (!works.empty()) submit(p2p_stream_, *communicators_.back(), works);
  }

  void fail(const std::string& why) {
    {
      Lock lock(mutex_);
      if (!failure.set(why)) return;
      changed_.notify_all();
    }
    if (observer_) observer_->failed(why);
    aborting_ = std::thread([this] {
      abort_nccl(communicators_, failure.why() + "\nNCCL on " + device.str() +
                                     " cannot be ended; the process ends instead\n");
    });
  }

  /// The last call: NCCL is not watched or aborted afterwards.
  void close() {
    start_p2p();
    {
      Lock lock(mutex_);
      closing_ = true;
      changed_.notify_all();
    }
    watcher_.join();
    if (observer_) observer_->leave();
    if (aborting_.joinable()) aborting_.join();
    pending_p2p_.clear();  // these works hold this object
    for (Queue* queue : {&collectives_, &p2p_}) queue->clear();
  }

  const Device device;
  GroupFailure failure;

 private:
  // A failure becomes the group's; the works throw it when a thread waits for them.
  void submit(const Stream& stream, Communicator& communicator, const Works& works) {
    std::lock_guard one_at_a_time(submitting_);
    if (failure.happened()) return;
    try {
      for (const auto& work : works) work->ready_.block(stream);
      std::vector<const Collective*> calls;
      for (const auto& work : works) calls.push_back(&work->call_);
      {
        // The span starts after the waits for the program's work, which are not part of the call.
        const auto span = call_nccl(communicator, calls, stream.native());
        wait_until_queued(communicator);
      }
      for (const auto& work : works) {
        work->done_.record(stream);
        for (Tensor* tensor : {&work->call_.input, &work->call_.output}) {
          if (tensor->defined()) tensor->record_stream(stream);
          *tensor = Tensor();
        }
        work->submitted_ = true;
      }
    } catch (const Error& e) {
      return fail("rank " + std::to_string(rank_) + ": " + describe(works[0]->call_.key) + ": " +
                  e.what());
    }
    Lock lock(mutex_);
    for (const auto& work : works) (work->call_.key.sequence ? collectives_ : p2p_).push_back(work);
    changed_.notify_all();
  }

  void wait_until_queued(Communicator& communicator) {
    const auto end = Clock::now() + timeout_;
    for (int answers = 1; !communicator.ready(); ++answers) {
      if (answers < kAnswersBeforeSleep) {
        std::this_thread::yield();
        continue;
      }
      std::this_thread::sleep_for(kPause);
      failure.check();
      TD_CHECK(DistributedError, Clock::now() < end, "the other ranks did not come within ",
               timeout_.count(), " ms");
    }
  }

  // The watching thread.
  void watch() {
    while (true) {
      for (Queue* queue : {&collectives_, &p2p_}) look_at(*queue);
      Lock lock(mutex_);
      const bool idle = collectives_.empty() && p2p_.empty();
      if (failure.happened() || (closing_ && idle)) return;
      const auto woken = changed_.wait_for(lock, closing_ ? kTickOfClosing : kTick);
      lock.unlock();
      if (woken == std::cv_status::timeout) is_done(nullptr);
    }
  }

  // Checks the calls of one stream, which end in their order.
  void look_at(Queue& works) {
    while (!failure.happened()) {
      std::shared_ptr<NcclWork> work;
      {
        Lock lock(mutex_);
        if (works.empty()) return;
        work = works.front();
      }
      const CollectiveFingerprint& key = work->call_.key;
      if (work->watched_since_ == Clock::time_point()) {
        work->watched_since_ = Clock::now();  // earlier calls may have delayed it until now
        if (observer_) observer_->started(key);
      }
      if (!is_done(work.get())) {
        if (Clock::now() - work->watched_since_ > timeout_) fail(too_long(key));
        return;
      }
      if (observer_) observer_->finished(key);
      Lock lock(mutex_);
      if (key.sequence) finished_ = key;
      works.pop_front();
    }
  }

  // Whether a call has ended; null: checks only whether NCCL has failed. The GPU may be in a state
  // in which even a query throws.
  bool is_done(const NcclWork* work) try {
    if (work && work->done_.query()) return true;
    for (const auto& communicator : communicators_) communicator->ready();
    return false;
  } catch (const Error& e) {
    fail("rank " + std::to_string(rank_) + ": " + e.what());
    return false;
  }

  std::string too_long(const CollectiveFingerprint& key) {
    Lock lock(mutex_);
    std::string text = "rank " + std::to_string(rank_) + ": " + describe(key) + " on " +
                       device.str() + " has not ended within " + std::to_string(timeout_.count()) +
                       " ms; ";
    text += finished_.sequence ? "the last call that ended is " + describe(finished_)
                               : std::string("no call has ended before");
    return text + ". A rank has not made this call, or its GPU is stuck";
  }

  const int rank_;
  const std::chrono::milliseconds timeout_;
  const std::vector<std::shared_ptr<Communicator>> communicators_;
  const std::shared_ptr<CollectiveObserver> observer_;
  const Stream collective_stream_, p2p_stream_;
  const Tensor barrier_tensor_;  // NCCL has no barrier: it is an all-reduce of one element
  std::mutex submitting_;        // NCCL takes one call at a time
  std::mutex mutex_;
  std::condition_variable changed_;
  Works pending_p2p_;               // until one of them is waited for
  Queue collectives_, p2p_;         // submitted, and not known to have ended
  CollectiveFingerprint finished_;  // the last collective that ended
  bool closing_ = false;
  std::thread aborting_;
  std::thread watcher_;
};

void NcclWork::wait() {
  if (!submitted_) calls_->start_p2p();
  calls_->failure.check();
  if (call_.key.type != CollectiveType::kBarrier) return done_.block(getCurrentStream(device_));
  for (; !done_.query(); std::this_thread::sleep_for(kPause)) calls_->failure.check();
  calls_->failure.check();  // aborting NCCL also completes what was queued
}

bool NcclWork::is_completed() const {
  if (!submitted_) calls_->start_p2p();
  return calls_->failure.happened() || done_.query();
}

ProcessGroupNCCL::ProcessGroupNCCL(int rank, int size, std::chrono::milliseconds timeout,
                                   Device device,
                                   std::vector<std::shared_ptr<Communicator>> communicators,
                                   std::shared_ptr<CollectiveObserver> observer)
    : ProcessGroup(rank, size),
      calls_(std::make_shared<NcclCalls>(rank, timeout, device, std::move(communicators),
                                         std::move(observer))),
      exceptions_(std::uncaught_exceptions()) {}

ProcessGroupNCCL::~ProcessGroupNCCL() {
  // An exception is unwinding this rank: the others must not wait for calls that will not come.
  if (std::uncaught_exceptions() > exceptions_)
    fail("rank " + std::to_string(rank()) + " ended with an error");
  calls_->close();
}

void ProcessGroupNCCL::fail(const std::string& why) { calls_->fail(why); }

std::shared_ptr<Work> ProcessGroupNCCL::start(Collective call) {
  const Device device = calls_->device;
  TD_CHECK(DeviceError, !call.output.defined() || call.output.device() == device,
           collective_name(call.key.type), ": the tensor is on ", call.output.device(),
           " but this group's backend \"nccl\" works on ", device, "; move the tensor with to(\"",
           device, "\"), or use the backend \"gloo\" for cpu and sim tensors");
  return calls_->start(std::move(call));
}

}  // namespace td::distributed
