// The group over its calls, and how the GPUs of all ranks become one NCCL group.
#include "distributed/transport/process_group_nccl.h"

#include <sstream>
#include <thread>

#include "distributed/transport/nccl_calls.h"
#include "td/device/backend.h"

namespace td::distributed {

ProcessGroupNCCL::ProcessGroupNCCL(int rank, int size, std::chrono::milliseconds timeout,
                                   Device device,
                                   std::vector<std::shared_ptr<Communicator>> communicators,
                                   std::shared_ptr<CollectiveObserver> observer)
    : ProcessGroup(rank, size, timeout),
      observer_(std::move(observer)),
      calls_(
          std::make_shared<NcclCalls>(rank, timeout, device, std::move(communicators), observer_)),
      exceptions_(std::uncaught_exceptions()) {
  if (observer_) observer_->on_failure([this](const std::string& why) { fail(why); });
}

ProcessGroupNCCL::~ProcessGroupNCCL() {
  // An exception is unwinding this rank: the others must not wait for calls that will not come.
  if (std::uncaught_exceptions() > exceptions_)
    fail("rank " + std::to_string(rank()) + " ended with an error");
  calls_->close();
  if (observer_) observer_->leave();
  calls_->join_abort();
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

namespace {

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
void wait_until_joined(Communicator& communicator, const NcclOptions& options) {
  const auto end = std::chrono::steady_clock::now() + options.timeout;
  try {
    while (!communicator.ready()) {
      if (options.check) options.check();
      TD_CHECK(DistributedError, std::chrono::steady_clock::now() < end, "rank ", options.rank,
               ": NCCL has not connected the GPUs of all ranks within ", options.timeout.count(),
               " ms; with NCCL_DEBUG=INFO it prints what it tries");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  } catch (...) {
    communicator.abort();
    throw;
  }
}

}  // namespace

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

std::shared_ptr<ProcessGroup> join_nccl(const NcclOptions& options) {
  const int size = static_cast<int>(options.hosts.size());
  check_one_gpu_a_rank(options.exchange(device_uuid(options.device)), options.hosts);
  // A group of one rank has no other rank to send to.
  const int count = size > 1 ? 2 : 1;
  std::string ids;
  for (int i = 0; i < count && options.rank == 0; ++i) ids += new_communicator_id() + ' ';
  std::istringstream all_ids(options.exchange(ids)[0]);
  std::vector<std::shared_ptr<Communicator>> communicators;
  for (std::string id; all_ids >> id;) {
    communicators.push_back(join_communicator(id, options.rank, size, options.device));
    wait_until_joined(*communicators.back(), options);
  }
  return std::make_shared<ProcessGroupNCCL>(options.rank, size, options.timeout, options.device,
                                            std::move(communicators), options.observer);
}

}  // namespace td::distributed
