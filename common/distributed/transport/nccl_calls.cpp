// Submitting and watching.
#include "distributed/transport/nccl_calls.h"

#include <cstdio>
#include <cstdlib>
#include <future>
#include <utility>

namespace td::distributed {
namespace {

constexpr std::chrono::microseconds kPause(100);
// NCCL should queue most calls within some ten microseconds, less than the shortest sleep takes
// (not measured on a GPU yet).
constexpr int kAnswersBeforeSleep = 1000;
// How often a call is looked at, and how often while the group waits for its last calls.
constexpr std::chrono::milliseconds kTick(100), kTickOfClosing(1);
// Ending NCCL may hang together with the GPU that has failed.
constexpr std::chrono::seconds kAbortLimit(5);

bool is_p2p(CollectiveType type) {
  return type == CollectiveType::kSend || type == CollectiveType::kReceive;
}

void call_collective(Communicator& nccl, const Collective& call, void* stream) {
  const CollectiveFingerprint& key = call.key;
  const Elements elements{static_cast<std::size_t>(key.numel), key.dtype};
  void *const input = call.input.data_ptr(), *const output = call.output.data_ptr();
  switch (key.type) {
    case CollectiveType::kBroadcast:
      return nccl.broadcast(output, elements, key.peer, stream);
    case CollectiveType::kAllReduce:
      return nccl.all_reduce(output, elements, key.reduce, stream);
    case CollectiveType::kReduce:
      return nccl.reduce(output, elements, key.reduce, key.peer, stream);
    case CollectiveType::kAllGather:
      return nccl.all_gather(input, output, elements, stream);
    case CollectiveType::kReduceScatter:
      return nccl.reduce_scatter(input, output, elements, key.reduce, stream);
    case CollectiveType::kBarrier:
      return nccl.all_reduce(output, {1, kFloat}, ReduceOp::SUM, stream);
    case CollectiveType::kSend:
    case CollectiveType::kReceive:
      break;  // these are submitted together, by Communicator::exchange
  }
}

}  // namespace

void NcclWork::wait() {
  if (!submitted_) calls_->start_p2p();
  calls_->check();
  if (call.key.type != CollectiveType::kBarrier) return done_.block(getCurrentStream(device_));
  for (; !done_.query(); std::this_thread::sleep_for(kPause)) calls_->check();
  calls_->check();  // aborting NCCL also completes what was queued
}

bool NcclWork::is_completed() const {
  if (!submitted_) calls_->start_p2p();
  return calls_->has_failed() || done_.query();
}

// ---- submitting ----

std::shared_ptr<Work> NcclCalls::start(Collective call) {
  if (call.key.type == CollectiveType::kBarrier) call.input = call.output = barrier_tensor_;
  auto work = std::make_shared<NcclWork>(std::move(call), shared_from_this(), device);
  if (is_p2p(work->call.key.type)) {
    Lock lock(mutex_);
    pending_p2p_.push_back(work);
  } else {
    submit(collective_stream_, *communicators_.front(), {work});
  }
  return work;
}

void NcclCalls::start_p2p() {
  Works works;
  {
    Lock lock(mutex_);
    works.swap(pending_p2p_);
  }
  if (!works.empty()) submit(p2p_stream_, *communicators_.back(), works);
}

// A failure becomes the group's; the works throw it when a thread waits for them.
void NcclCalls::submit(const Stream& stream, Communicator& communicator, const Works& works) {
  std::lock_guard one_at_a_time(submitting_);
  if (has_failed()) return;
  try {
    for (const auto& work : works) work->ready->block(stream);
    call_nccl(communicator, stream, works);
    for (const auto& work : works) {
      work->done_.record(stream);
      for (Tensor* tensor : {&work->call.input, &work->call.output}) {
        if (tensor->defined()) tensor->record_stream(stream);
        *tensor = Tensor();
      }
      work->submitted_ = true;
    }
  } catch (const Error& e) {
    return fail("rank " + std::to_string(rank_) + ": " + describe(works[0]->call.key) + ": " +
                e.what());
  }
  for (const auto& work : works) {
    const CollectiveType type = work->call.key.type;
    (type == CollectiveType::kSend ? sends_
     : is_p2p(type)                ? receives_
                                   : collectives_)
        ->enqueue(work);
  }
}

// The span starts after the waits for the program's work, which are not part of the call. Sends and
// receives that start together are one span.
void NcclCalls::call_nccl(Communicator& communicator, const Stream& stream, const Works& works) {
  std::size_t bytes = 0;
  for (const auto& work : works) bytes += work->call.key.bytes();
  const char* const name =
      works.size() > 1 ? "send and recv" : collective_name(works[0]->call.key.type);
  const auto span = communicator.span(name, bytes, stream.native());
  std::vector<P2POp> operations;
  for (const auto& work : works) {
    const CollectiveFingerprint& key = work->call.key;
    if (key.numel == 0 && key.type != CollectiveType::kBarrier) continue;  // on all ranks alike
    if (is_p2p(key.type))
      operations.push_back({key.type == CollectiveType::kSend,
                            work->call.output.data_ptr(),
                            {static_cast<std::size_t>(key.numel), key.dtype},
                            key.peer});
    else
      call_collective(communicator, work->call, stream.native());
  }
  if (!operations.empty()) communicator.exchange(operations, stream.native());
  wait_until_queued(communicator);
}

void NcclCalls::wait_until_queued(Communicator& communicator) {
  const auto end = Clock::now() + timeout_;
  for (int answers = 1; !communicator.ready(); ++answers) {
    if (answers < kAnswersBeforeSleep) {
      std::this_thread::yield();
      continue;
    }
    std::this_thread::sleep_for(kPause);
    check();
    TD_CHECK(DistributedError, Clock::now() < end, "the other ranks did not come within ",
             timeout_.count(), " ms");
  }
}

// ---- watching, in the threads of the queues ----

void NcclCalls::watch(NcclWork& work) {
  const CollectiveFingerprint key = work.call.key;
  if (has_failed()) return;
  if (observer_) observer_->started(key);
  const auto since = Clock::now();  // earlier calls may have delayed it until now
  while (!has_failed()) {
    if (is_done(work)) {
      if (observer_) observer_->finished(key);
      Lock lock(mutex_);
      if (key.sequence) finished_ = key;
      return;
    }
    if (Clock::now() - since > timeout_) return fail(too_long(key));
    Lock lock(mutex_);
    if (failure_.empty()) changed_.wait_for(lock, closing_ ? kTickOfClosing : kTick);
  }
}

// The GPU may be in a state in which even a query throws.
bool NcclCalls::is_done(NcclWork& work) try {
  if (work.done_.query()) return true;
  check_communicators();
  return false;
} catch (const Error& e) {
  fail("rank " + std::to_string(rank_) + ": " + e.what());
  return false;
}

void NcclCalls::check_communicators() try {
  for (const auto& communicator : communicators_) communicator->ready();
} catch (const Error& e) {
  fail("rank " + std::to_string(rank_) + ": " + e.what());
}

std::string NcclCalls::too_long(const CollectiveFingerprint& key) {
  Lock lock(mutex_);
  std::string text = "rank " + std::to_string(rank_) + ": " + describe(key) + " on " +
                     device.str() + " has not ended within " + std::to_string(timeout_.count()) +
                     " ms; ";
  text += finished_.sequence ? "the last call that ended is " + describe(finished_)
                             : std::string("no call has ended before");
  return text + ". A rank has not made this call, or its GPU is stuck";
}

// ---- the end ----

bool NcclCalls::has_failed() {
  Lock lock(mutex_);
  return !failure_.empty();
}

void NcclCalls::check() {
  Lock lock(mutex_);
  if (!failure_.empty()) throw DistributedError(failure_);
}

void NcclCalls::fail(const std::string& why) {
  {
    Lock lock(mutex_);
    if (!failure_.empty()) return;
    failure_ = why;
    changed_.notify_all();
  }
  if (observer_) observer_->failed(why);
  aborting_ = std::thread([this] { abort_nccl(); });
}

// A GPU that waits for a dead rank blocks every thread that waits for the GPU. If NCCL cannot end
// that wait, ending the process can.
void NcclCalls::abort_nccl() {
  std::promise<void> over;
  const auto ended = over.get_future();
  std::thread([communicators = communicators_, over = std::move(over)]() mutable {
    for (const auto& communicator : communicators) communicator->abort();
    over.set_value();
  }).detach();
  if (ended.wait_for(kAbortLimit) == std::future_status::ready) return;
  std::fprintf(stderr, "%s\nNCCL on %s cannot be ended; the process ends instead\n",
               failure_.c_str(), device.str().c_str());
  std::_Exit(1);
}

void NcclCalls::close() {
  start_p2p();
  {
    Lock lock(mutex_);
    closing_ = true;
    changed_.notify_all();
  }
  for (const auto& queue : {collectives_, sends_, receives_}) queue->close(false);
}

}  // namespace td::distributed
