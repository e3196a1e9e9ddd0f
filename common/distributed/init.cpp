// init_process_group: rendezvous, coordination service, transport, group.
#include <unistd.h>

#include "distributed/coordination/coordination.h"
#include "distributed/launch/environment.h"
#include "distributed/rendezvous/rendezvous.h"
#include "distributed/rendezvous/rendezvous_config.h"
#include "distributed/thread_group.h"
#include "distributed/transport/gloo_transport.h"
#include "distributed/transport/process_group_nccl.h"
#include "distributed/transport/shm_transport.h"
#include "trace/recorder.h"

namespace td::distributed {
namespace {

// How much longer a transport waits for a message than a call may take: the coordination service
// ends the call before, and reports why.
constexpr std::chrono::seconds kAfterCoordination(10);

void check_backend(const std::string& backend) {
  TD_CHECK(
      Error, backend == "gloo" || backend == "nccl", "init_process_group: \"", backend,
      "\" is no backend; expected \"gloo\" for cpu and sim tensors or \"nccl\" for cuda tensors");
}

// How this rank joins the others, step by step.
struct Joining {
  const RendezvousConfig& config;
  const InitOptions& options;
  std::vector<HostInfo> hosts;
  std::shared_ptr<CoordinationAgent> agent;  // null for a group of one rank

  std::vector<std::string> exchange(const std::string& mine) const {
    return agent ? agent->exchange(mine) : std::vector{mine};
  }

  // The value of TD_TRANSPORT, which must be the same on all ranks.
  std::string wanted_transport() const {
    const std::string wanted = variable("TD_TRANSPORT");
    const auto all = exchange(wanted);
    for (std::size_t r = 0; r < all.size(); ++r)
      TD_CHECK(DistributedError, all[r] == all[0], "TD_TRANSPORT is \"", all[0],
               "\" on rank 0 but \"", all[r], "\" on rank ", r, "; all ranks need the same");
    TD_CHECK(DistributedError, wanted.empty() || wanted == "gloo" || wanted == "shm",
             "TD_TRANSPORT=", wanted, ": expected gloo or shm");
    return wanted;
  }

  std::shared_ptr<Transport> make_transport() const {
    const Exchange exchange = [this](const std::string& mine) { return this->exchange(mine); };
    const std::string wanted = wanted_transport();
    if (wanted != "gloo") {
      const SharedMemory shared = join_shared_memory(config.rank, hosts, exchange);
      if (shared.transport) return shared.transport;
      TD_CHECK(DistributedError, wanted.empty(), "TD_TRANSPORT=shm, but ", shared.why_not);
    }
    return make_gloo_transport({config.rank, config.world_size, hosts[config.rank].address,
                                exchange, options.timeout, options.timeout + kAfterCoordination});
  }

  std::shared_ptr<ProcessGroup> make_nccl_group() const {
    const Exchange exchange = [this](const std::string& mine) { return this->exchange(mine); };
    return join_nccl(
        {config.rank, hosts, nccl_device(config.local_rank), options.timeout, exchange, agent});
  }

  // Connects the ranks; an error of one rank becomes the error of all ranks.
  std::shared_ptr<ProcessGroup> connect(const std::string& backend) const {
    try {
      std::shared_ptr<ProcessGroup> group;
      if (backend == "nccl")
        group = make_nccl_group();
      else
        group = std::make_shared<ProcessGroupHost>(config.rank, config.world_size, options.timeout,
                                                   make_transport(), agent);
      exchange("");  // an error of one rank until now is an error of all
      return group;
    } catch (const std::exception& e) {
      agent->failed(e.what());
      agent->leave();
      agent->check();
      throw;
    }
  }
};

}  // namespace

std::shared_ptr<ProcessGroup> join_group(const std::string& backend, const RendezvousConfig& config,
                                         Store& store, const InitOptions& options) {
  check_backend(backend);
  RendezvousInfo info = join(store, {config.rank, config.world_size, options.timeout});
  Joining joining{config, options, info.hosts, nullptr};
  joining.agent =
      open_coordination(config.rank, std::move(info), {options.timeout, options.heartbeat_timeout});
  return joining.connect(backend);
}

void init_process_group(const std::string& backend, const std::string& url,
                        const InitOptions& options) {
  TD_CHECK(
      Error, !is_initialized(),
      "init_process_group: there is a process group already; call destroy_process_group first");
  check_backend(backend);
  const RendezvousConfig config = resolve_rendezvous(url, options);
  if (backend == "nccl") nccl_device(config.local_rank);  // throws before other ranks wait
  if (config.world_size == 1 && backend == "gloo")
    return set_default_group(thread_groups(1, options.timeout)[0]);
  if (config.world_size == 1) {
    const Joining alone{config, options, {read_host_info()}, nullptr};
    return set_default_group(alone.make_nccl_group());
  }
  const auto store = open_store(config.url);
  set_default_group(join_group(backend, config, *store, options));
  trace::set_rank(config.rank);
  if (config.rank == 0 && !config.folder.empty()) ::rmdir(config.folder.c_str());
}

}  // namespace td::distributed
