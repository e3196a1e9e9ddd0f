// The three lanes of a host group, and the way of an accelerator's tensors through pinned memory.
#include "distributed/planes/host_group.h"

#include "td/device/stream.h"
#include "distributed/planes/lane.h"
#include "td/ops/ops.h"

namespace td::distributed {
namespace {

// A tensor as host memory. One of an accelerator is copied there and, by give_back, back again.
class OnHost {
 public:
  OnHost(const Tensor& tensor, const Stream* stream) : tensor_(tensor), host_(tensor) {
    if (!tensor.defined() || !stream) return;
    host_ = empty(tensor.sizes(), tensor.options().device(kCPU).pinned_memory(true));
    host_.copy_(tensor, true);
  }
  void* data() const { return host_.defined() ? host_.data_ptr() : nullptr; }
  void give_back() const {
    if (!host_.is_same(tensor_)) tensor_.copy_(host_, true);
  }

 private:
  Tensor tensor_, host_;
};

void call_plane(HostPlane& plane, const CollectiveKey& key, void* input, void* output) {
  switch (key.type) {
    case CollectiveType::kBroadcast:
      return plane.broadcast(key, output);
    case CollectiveType::kAllReduce:
      return plane.all_reduce(key, output);
    case CollectiveType::kReduce:
      return plane.reduce(key, output);
    case CollectiveType::kAllGather:
      return plane.all_gather(key, input, output);
    case CollectiveType::kReduceScatter:
      return plane.reduce_scatter(key, input, output);
    case CollectiveType::kBarrier:
      return plane.barrier(key);
    case CollectiveType::kSend:
      return plane.send(key, output);
    case CollectiveType::kReceive:
      return plane.receive(key, output);
  }
}

bool in_place(const Collective& call) { return call.input.is_same(call.output); }

void carry_out(HostPlane& plane, HostWork& work) {
  const Collective& call = work.call;
  if (!work.ready) {
    const OnHost input(call.input, nullptr), output(call.output, nullptr);
    return call_plane(plane, call.key, input.data(), output.data());
  }
  // The copies have a stream of their own, so that the program's stream goes on computing.
  const Stream stream = getStreamFromPool(call.output.device());
  const StreamGuard guard(stream);
  work.ready->block(stream);
  const OnHost output(call.output, &stream);
  const OnHost input = in_place(call) ? output : OnHost(call.input, &stream);
  stream.synchronize();
  call_plane(plane, call.key, input.data(), output.data());
  if (call.key.type == CollectiveType::kSend) return;
  output.give_back();
  stream.synchronize();
}

void carry_out_observed(HostPlane& plane, CollectiveObserver* observer, HostWork& work) {
  const CollectiveKey& key = work.call.key;
  if (!observer) return carry_out(plane, work);
  observer->started(key);
  try {
    carry_out(plane, work);
  } catch (const DistributedError& e) {
    throw DistributedError(observer->explain(key, e.what()));
  }
  observer->finished(key);
}

}  // namespace

HostGroup::HostGroup(int rank, int size, std::chrono::milliseconds timeout,
                     std::shared_ptr<HostPlane> plane, std::shared_ptr<CollectiveObserver> observer)
    : ProcessGroup(rank, size, timeout),
      plane_(std::move(plane)),
      observer_(std::move(observer)),
      exceptions_(std::uncaught_exceptions()) {
  const auto run = [plane = plane_, observer = observer_](HostWork& work) {
    carry_out_observed(*plane, observer.get(), work);
  };
  collectives_ = std::make_shared<Lane>("collectives", run);
  sends_ = std::make_shared<Lane>("sends", run);
  receives_ = std::make_shared<Lane>("receives", run);
  if (observer_) observer_->on_failure([this](const std::string& why) { fail(why); });
}

HostGroup::~HostGroup() {
  // An exception is on its way through this rank: the others must not wait for what will not come.
  if (std::uncaught_exceptions() > exceptions_)
    fail("rank " + std::to_string(rank()) + " ended with an error");
  for (const auto& lane : {collectives_, sends_, receives_}) lane->close(has_failed());
  if (observer_) observer_->leave();
}

bool HostGroup::has_failed() {
  std::lock_guard lock(mutex_);
  return !failure_.empty();
}

Lane& HostGroup::lane_for(CollectiveType type) {
  if (type == CollectiveType::kSend) return *sends_;
  if (type == CollectiveType::kReceive) return *receives_;
  return *collectives_;
}

std::shared_ptr<Work> HostGroup::start(Collective call) {
  auto work = std::make_shared<HostWork>(std::move(call));
  lane_for(work->call.key.type).add(work);
  return work;
}

void HostGroup::fail(const std::string& why) {
  {
    std::lock_guard lock(mutex_);
    if (!failure_.empty()) return;
    failure_ = why;
  }
  const auto error = std::make_exception_ptr(DistributedError(why));
  for (const auto& lane : {collectives_, sends_, receives_}) lane->fail(error);
  plane_->abort(why);
  if (observer_) observer_->failed(why);
}

Tensor HostGroup::empty_shared(std::int64_t numel, const TensorOptions& options) {
  const auto bytes = static_cast<std::size_t>(numel) * element_size(options.dtype());
  void* memory = options.device().is_cpu() && bytes ? plane_->allocate_shared(bytes) : nullptr;
  if (!memory) return ProcessGroup::empty_shared(numel, options);
  // The tensor may outlive the group.
  return from_blob(
      memory, {numel}, [plane = plane_, bytes](void* m) { plane->release_shared(m, bytes); },
      options);
}

}  // namespace td::distributed
