// Queueing on the GPU. The watching is in nccl_watch.cpp.
#include "distributed/planes/nccl_queue.h"

#include <utility>

#include "td/ops/ops.h"

namespace td::distributed {
namespace {

constexpr std::chrono::microseconds kPause(100);
// NCCL should queue most calls within some ten microseconds, less than the shortest sleep takes
// (not measured on a GPU yet).
constexpr int kAnswersBeforeSleep = 1000;

bool is_parcel(CollectiveType type) {
  return type == CollectiveType::kSend || type == CollectiveType::kReceive;
}

Combine combine_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::SUM:
      return Combine::kSum;
    case ReduceOp::AVG:
      return Combine::kAverage;
    case ReduceOp::PRODUCT:
      return Combine::kProduct;
    case ReduceOp::MIN:
      return Combine::kMin;
    case ReduceOp::MAX:
      break;
  }
  return Combine::kMax;
}

void call_collective(Communicator& nccl, const CollectiveKey& key, void* input, void* output,
                     void* stream) {
  const Elements elements{static_cast<std::size_t>(key.numel), key.dtype};
  const Combine how = combine_of(key.reduce);
  switch (key.type) {
    case CollectiveType::kBroadcast:
      return nccl.broadcast(output, elements, key.peer, stream);
    case CollectiveType::kAllReduce:
      return nccl.all_reduce(output, elements, how, stream);
    case CollectiveType::kReduce:
      return nccl.reduce(output, elements, how, key.peer, stream);
    case CollectiveType::kAllGather:
      return nccl.all_gather(input, output, elements, stream);
    case CollectiveType::kReduceScatter:
      return nccl.reduce_scatter(input, output, elements, how, stream);
    case CollectiveType::kBarrier:
      return nccl.all_reduce(output, {1, kFloat}, Combine::kSum, stream);
    case CollectiveType::kSend:
    case CollectiveType::kReceive:
      break;  // these come as parcels
  }
}

}  // namespace

// ---- one work ----

NcclWork::NcclWork(Collective call, std::shared_ptr<NcclQueue> queue)
    : key_(call.key),
      input_(std::move(call.input)),
      output_(std::move(call.output)),
      ready_(queue->device().type()),
      done_(queue->device().type()),
      queue_(std::move(queue)) {
  ready_.record(getCurrentStream(queue_->device()));
}

void NcclWork::wait() {
  if (!queued_) queue_->start_parcels();
  queue_->check();
  if (key_.type != CollectiveType::kBarrier) return done_.block(getCurrentStream(queue_->device()));
  for (; !done_.query(); std::this_thread::sleep_for(kPause)) queue_->check();
  queue_->check();  // giving NCCL up ends what was queued, too
}

bool NcclWork::is_completed() const {
  if (!queued_) queue_->start_parcels();
  return queue_->has_failed() || done_.query();
}

// ---- queueing ----

NcclQueue::NcclQueue(int rank, std::chrono::milliseconds timeout, Device device,
                     std::vector<std::shared_ptr<Communicator>> communicators,
                     std::shared_ptr<CollectiveObserver> observer)
    : rank_(rank),
      timeout_(timeout),
      device_(device),
      communicators_(std::move(communicators)),
      observer_(std::move(observer)),
      collectives_(getStreamFromPool(device, true)),
      parcels_(getStreamFromPool(device, true)),
      nothing_(zeros({1}, TensorOptions().device(device))) {}

NcclQueue::~NcclQueue() { stop(); }

std::shared_ptr<Work> NcclQueue::add(Collective call) {
  if (call.key.type == CollectiveType::kBarrier) call.input = call.output = nothing_;
  auto work = std::make_shared<NcclWork>(std::move(call), shared_from_this());
  if (is_parcel(work->key_.type)) {
    Lock lock(mutex_);
    parcels_to_come_.push_back(work);
  } else {
    queue_on(collectives_, *communicators_.front(), {work});
  }
  return work;
}

void NcclQueue::start_parcels() {
  Works parcels;
  {
    Lock lock(mutex_);
    parcels.swap(parcels_to_come_);
  }
  if (!parcels.empty()) queue_on(parcels_, *communicators_.back(), parcels);
}

// A failure becomes the group's, which the works throw when somebody waits for them.
void NcclQueue::queue_on(const Stream& stream, Communicator& communicator, const Works& works) {
  std::lock_guard one_at_a_time(queueing_);
  if (has_failed()) return;
  try {
    for (const auto& work : works) work->ready_.block(stream);
    {
      const auto span = span_of(communicator, stream, works);
      call_nccl(communicator, stream, works);
      until_ready(communicator);
    }
    for (const auto& work : works) {
      work->done_.record(stream);
      for (Tensor* tensor : {&work->input_, &work->output_}) {
        if (tensor->defined()) tensor->record_stream(stream);
        *tensor = Tensor();
      }
      work->queued_ = true;
    }
  } catch (const Error& e) {
    return fail("rank " + std::to_string(rank_) + ": " + describe(works[0]->key_) + ": " +
                e.what());
  }
  Lock lock(mutex_);
  works_.insert(works_.end(), works.begin(), works.end());
}

// Behind the waits for the program's work, which are no part of it. Parcels travel as one.
std::shared_ptr<void> NcclQueue::span_of(Communicator& communicator, const Stream& stream,
                                         const Works& works) {
  std::size_t bytes = 0;
  for (const auto& work : works) bytes += work->key_.bytes();
  const char* const name =
      works.size() > 1 ? "send and recv" : collective_name(works[0]->key_.type);
  return communicator.span(name, bytes, stream.native());
}

void NcclQueue::call_nccl(Communicator& communicator, const Stream& stream, const Works& works) {
  std::vector<Parcel> parcels;
  for (const auto& work : works) {
    const CollectiveKey& key = work->key_;
    const bool is_barrier = key.type == CollectiveType::kBarrier;
    if (key.numel == 0 && !is_barrier) continue;  // on all ranks alike
    if (is_parcel(key.type))
      parcels.push_back({key.type == CollectiveType::kSend,
                         work->output_.data_ptr(),
                         {static_cast<std::size_t>(key.numel), key.dtype},
                         key.peer});
    else
      call_collective(communicator, key, work->input_.data_ptr(), work->output_.data_ptr(),
                      stream.native());
  }
  if (!parcels.empty()) communicator.exchange(parcels, stream.native());
}

void NcclQueue::until_ready(Communicator& communicator) {
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

// ---- the end ----

bool NcclQueue::has_failed() {
  Lock lock(mutex_);
  return !failure_.empty();
}

void NcclQueue::check() {
  Lock lock(mutex_);
  if (!failure_.empty()) throw DistributedError(failure_);
}

void NcclQueue::fail(const std::string& why) {
  {
    Lock lock(mutex_);
    if (!failure_.empty()) return;
    failure_ = why;
    changed_.notify_all();
  }
  if (observer_) observer_->failed(why);
}

void NcclQueue::drain() {
  start_parcels();
  Lock lock(mutex_);
  draining_ = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return works_.empty() || !failure_.empty(); });
}

void NcclQueue::start() {
  thread_ = std::thread([this] { watch(); });
}

void NcclQueue::stop() {
  {
    Lock lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  Lock lock(mutex_);
  works_.clear();  // they hold this queue
  parcels_to_come_.clear();
}

}  // namespace td::distributed
