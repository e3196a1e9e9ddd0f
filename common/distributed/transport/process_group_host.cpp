// The three queues of the group, and the copies of an accelerator's tensors through pinned memory.
#include "distributed/transport/process_group_host.h"

#include <cstring>

#include "distributed/transport/work_queue.h"
#include "td/device/stream.h"
#include "td/ops/ops.h"

namespace td::distributed {
namespace {

void* data_of(const Tensor& tensor) { return tensor.defined() ? tensor.data_ptr() : nullptr; }

// A copy in host memory, complete when the current stream has reached this point.
Tensor pinned_copy(const Tensor& tensor) {
  Tensor copy = empty(tensor.sizes(), tensor.options().device(kCPU).pinned_memory(true));
  return copy.copy_(tensor, true);
}

void call_transport(Transport* transport, const CollectiveFingerprint& key, void* input,
                    void* output) {
  if (!transport) {  // one rank, whose own elements are the result
    if (input != output && key.bytes()) std::memmove(output, input, key.bytes());
    return;
  }
  switch (key.type) {
    case CollectiveType::kBroadcast:
      return transport->broadcast(key, output);
    case CollectiveType::kAllReduce:
      return transport->all_reduce(key, output);
    case CollectiveType::kReduce:
      return transport->reduce(key, output);
    case CollectiveType::kAllGather:
      return transport->all_gather(key, input, output);
    case CollectiveType::kReduceScatter:
      return transport->reduce_scatter(key, input, output);
    case CollectiveType::kBarrier:
      return transport->barrier(key);
    case CollectiveType::kSend:
      return transport->send(key, output);
    case CollectiveType::kReceive:
      return transport->receive(key, output);
  }
}

void carry_out(Transport* transport, AsyncWork& work) {
  const Collective& call = work.call;
  if (!work.ready)
    return call_transport(transport, call.key, data_of(call.input), data_of(call.output));
  // The copies have their own stream, so that the program's stream continues to compute.
  const Stream stream = getStreamFromPool(call.output.device());
  const StreamGuard guard(stream);
  work.ready->block(stream);
  const Tensor output = pinned_copy(call.output);
  const Tensor input = call.input.is_same(call.output) ? output : pinned_copy(call.input);
  stream.synchronize();
  call_transport(transport, call.key, input.data_ptr(), output.data_ptr());
  if (call.key.type == CollectiveType::kSend) return;
  call.output.copy_(output, true);
  stream.synchronize();
}

void carry_out_observed(Transport* transport, CollectiveObserver* observer, AsyncWork& work) {
  const CollectiveFingerprint& key = work.call.key;
  if (!observer) return carry_out(transport, work);
  observer->started(key);
  try {
    carry_out(transport, work);
  } catch (const DistributedError& e) {
    throw DistributedError(observer->explain(key, e.what()));
  }
  observer->finished(key);
}

}  // namespace

ProcessGroupHost::ProcessGroupHost(int rank, int size, std::shared_ptr<Transport> transport,
                                   std::shared_ptr<CollectiveObserver> observer)
    : ProcessGroup(rank, size),
      transport_(std::move(transport)),
      observer_(std::move(observer)),
      exceptions_(std::uncaught_exceptions()) {
  const auto execute = [transport = transport_, observer = observer_](AsyncWork& work) {
    carry_out_observed(transport.get(), observer.get(), work);
  };
  for (const char* name : {"collectives", "sends", "receives"})
    queues_.push_back(std::make_shared<WorkQueue>(name, execute));
  if (observer_) observer_->on_failure([this](const std::string& why) { fail(why); });
}

ProcessGroupHost::~ProcessGroupHost() {
  // An exception is unwinding this rank: the others must not wait for calls that will not come.
  if (std::uncaught_exceptions() > exceptions_)
    fail("rank " + std::to_string(rank()) + " ended with an error");
  for (const auto& queue : queues_) queue->close(failure_.happened());
  if (observer_) observer_->leave();
}

std::shared_ptr<Work> ProcessGroupHost::start(Collective call) {
  const CollectiveType type = call.key.type;
  auto work = std::make_shared<AsyncWork>(std::move(call));
  queues_[type == CollectiveType::kSend      ? 1
          : type == CollectiveType::kReceive ? 2
                                             : 0]
      ->enqueue(work);
  return work;
}

void ProcessGroupHost::fail(const std::string& why) {
  if (!failure_.set(why)) return;
  const auto error = std::make_exception_ptr(DistributedError(why));
  for (const auto& queue : queues_) queue->fail(error);
  if (transport_) transport_->abort(why);
  if (observer_) observer_->failed(why);
}

Tensor ProcessGroupHost::empty_shared(std::int64_t numel, const TensorOptions& options) {
  const auto bytes = static_cast<std::size_t>(numel) * element_size(options.dtype());
  const bool shares = transport_ && options.device().is_cpu() && bytes;
  const auto memory = shares ? transport_->allocate_shared(bytes) : nullptr;
  if (!memory) return ProcessGroup::empty_shared(numel, options);
  return from_blob(
      memory.get(), {numel}, [memory](void*) {}, options);  // may outlive the group
}

}  // namespace td::distributed
