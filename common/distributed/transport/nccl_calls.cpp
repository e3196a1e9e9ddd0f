// The calls to NCCL, and how the GPUs of all ranks become one group.
#include <cstdio>
#include <cstdlib>
#include <future>
#include <sstream>
#include <thread>

#include "distributed/transport/process_group_nccl.h"
#include "td/device/backend.h"

namespace td::distributed {
namespace {

// Ending NCCL may hang together with the GPU that has failed.
constexpr std::chrono::seconds kAbortLimit(5);

// Calls NCCL, except for sends and receives, which are added to `together`.
void call_one(Communicator& nccl, const Collective& call, NativeStream* stream,
              std::vector<P2POp>& together) {
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
      together.push_back({key.type == CollectiveType::kSend, output, elements, key.peer});
  }
}

void check_one_gpu_a_rank(const std::vector<std::string>& uuids,
                          const std::vector<HostInfo>& hosts) {
  for (std::size_t r = 0; r < uuids.size(); ++r)
    for (std::size_t earlier = 0; earlier < r; ++earlier)
      TD_CHECK(DeviceError, uuids[r] != uuids[earlier], "ranks ", earlier, " and ", r,
               " have the same GPU of host ", hosts[r].hostname, " (", uuids[r],
               "), and NCCL needs one for each rank: start as many ranks on a host as it has GPUs, "
               "or use the backend \"gloo\"");
}

// NCCL connects the ranks in its own threads, after all of them have started to join.
void wait_until_joined(Communicator& communicator, const Member& member,
                       CollectiveObserver* observer) {
  const auto end = std::chrono::steady_clock::now() + member.timeout;
  try {
    while (!communicator.ready()) {
      if (observer) observer->check();
      TD_CHECK(DistributedError, std::chrono::steady_clock::now() < end, "rank ", member.rank,
               ": NCCL has not connected the GPUs of all ranks within ", member.timeout.count(),
               " ms; with NCCL_DEBUG=INFO it prints what it tries");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  } catch (...) {
    communicator.abort();
    throw;
  }
}

}  // namespace

void abort_nccl(const std::vector<std::shared_ptr<Communicator>>& communicators,
                const std::string& last_words) {
  std::promise<void> over;
  const auto ended = over.get_future();
  std::thread([communicators, over = std::move(over)]() mutable {
    for (const auto& communicator : communicators) communicator->abort();
    over.set_value();
  }).detach();
  if (ended.wait_for(kAbortLimit) == std::future_status::ready) return;
  std::fputs(last_words.c_str(), stderr);
  std::_Exit(1);
}

// Sends and receives that start together are one span.
std::shared_ptr<void> call_nccl(Communicator& communicator,
                                const std::vector<const Collective*>& calls, NativeStream* stream) {
  std::size_t bytes = 0;
  for (const Collective* call : calls) bytes += call->key.bytes();
  const char* const name = calls.size() > 1 ? "send and recv" : collective_name(calls[0]->key.type);
  auto span = communicator.span(name, bytes, stream);
  std::vector<P2POp> together;
  for (const Collective* call : calls)  // empty calls are so on all ranks alike
    if (call->key.numel > 0 || call->key.type == CollectiveType::kBarrier)
      call_one(communicator, *call, stream, together);
  if (!together.empty()) communicator.exchange(together, stream);
  return span;
}

int gpu_of_rank(int local_rank, int visible) {
  if (visible == 1) return 0;
  TD_CHECK(DeviceError, local_rank < visible,
           "the backend \"nccl\" needs a GPU for each rank, and rank ", local_rank,
           " of this host finds ", visible, " GPUs: start at most ", visible,
           " ranks on a host, or use the backend \"gloo\"");
  return local_rank;
}

Device nccl_device(int local_rank) {
  const int count = device_count(kCUDA);
  TD_CHECK(DeviceError, count > 0,
           "the backend \"nccl\" needs a GPU for each rank: ", backend(kCUDA).unavailable_reason(),
           " The backend for sim and cpu tensors is \"gloo\".");
  return Device(kCUDA, gpu_of_rank(local_rank, count));
}

std::shared_ptr<ProcessGroup> join_nccl(const Member& member, Device device,
                                        std::shared_ptr<CollectiveObserver> observer) {
  check_one_gpu_a_rank(member.exchange(device_uuid(device)), member.hosts);
  // A group of one rank has no other rank to send to.
  const int count = member.size() > 1 ? 2 : 1;
  std::string ids;
  for (int i = 0; i < count && member.rank == 0; ++i) ids += new_communicator_id() + ' ';
  std::istringstream all_ids(member.exchange(ids)[0]);
  std::vector<std::shared_ptr<Communicator>> communicators;
  for (std::string id; all_ids >> id;) {
    communicators.push_back(join_communicator(id, member.rank, member.size(), device));
    wait_until_joined(*communicators.back(), member, observer.get());
  }
  return std::make_shared<ProcessGroupNCCL>(member.rank, member.size(), member.timeout, device,
                                            std::move(communicators), std::move(observer));
}

}  // namespace td::distributed
