// init_process_group: rank, size and store from the options or from the launcher of this process;
// then rendezvous, coordination service, transport, group.
#include <unistd.h>

#include <cctype>

#include "distributed/coordination/coordination.h"
#include "distributed/rendezvous/rendezvous.h"
#include "distributed/thread_group.h"
#include "distributed/transport/process_group_nccl.h"
#include "distributed/transport/transport.h"
#include "trace/recorder.h"

namespace td::distributed {
namespace {

// Replaces all characters of a run's name that are not letters or digits, for a file name.
std::string as_name(const std::string& text) {
  std::string name;
  for (const char c : text) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  return name;
}

// torchrun passes no store that td could use: its own store uses PyTorch's protocol.
void derive_from_torchrun(RendezvousConfig& place) {
  TD_CHECK(
      Error, place.local_world_size == place.world_size,
      "init_process_group: torchrun has started ranks on several hosts and tells them no place "
      "to meet: start a redis-server that all can reach, and give \"redis://host:port\" as url "
      "or in TD_RENDEZVOUS");
  const std::string temporary = variable("TMPDIR").empty() ? "/tmp" : variable("TMPDIR");
  place.folder = temporary + "/todevice-" + std::to_string(getuid()) + "-" + as_name(place.run_id) +
                 "-" + std::to_string(place.master_port) + "-" +
                 std::to_string(place.restart_count);
  place.url = "file://" + place.folder;
}

// Several runs may use one directory or one server at the same time, each under its own name.
void take_place_of_run(const std::string& url, RendezvousConfig& place) {
  const std::string run = as_name(variable("TORCHELASTIC_RUN_ID"));
  place.url = url;
  if (run.empty() || url == "pmix:") return;
  if (url.back() != '/') place.url += '/';
  place.url += run;
  if (place.url.rfind("file://", 0) == 0) place.folder = place.url.substr(7);
}

void place_from_launcher(RendezvousConfig& place) {
  if (const std::string url = variable("TD_RENDEZVOUS"); !url.empty())
    take_place_of_run(url, place);
  if (!place.url.empty() || place.world_size == 1) return;
  if (!variable("PMIX_NAMESPACE").empty())
    place.url = "pmix:";
  else if (place.source == "torchrun" && !place.master_addr.empty())
    derive_from_torchrun(place);
  TD_CHECK(Error, !place.url.empty(), "init_process_group: this is rank ", place.rank, " of ",
           place.world_size,
           ", but nothing says where the ranks meet: start the program by ./course launch -n ",
           place.world_size,
           " PROGRAM, or give a url such as \"file:///folder\" or "
           "\"redis://host:port\", also in TD_RENDEZVOUS");
}

void check_backend(const std::string& backend) {
  TD_CHECK(
      Error, backend == "gloo" || backend == "nccl", "init_process_group: \"", backend,
      "\" is no backend; expected \"gloo\" for cpu and sim tensors or \"nccl\" for cuda tensors");
}

// The value of TD_TRANSPORT, which must be the same on all ranks.
std::string wanted_transport(const Exchange& exchange) {
  const std::string wanted = variable("TD_TRANSPORT");
  const auto all = exchange(wanted);
  for (std::size_t r = 0; r < all.size(); ++r)
    TD_CHECK(DistributedError, all[r] == all[0], "TD_TRANSPORT is \"", all[0],
             "\" on rank 0 but \"", all[r], "\" on rank ", r, "; all ranks need the same");
  TD_CHECK(DistributedError, wanted.empty() || wanted == "gloo" || wanted == "shm",
           "TD_TRANSPORT=", wanted, ": expected gloo or shm");
  return wanted;
}

std::shared_ptr<Transport> make_transport(const Member& member) {
  const std::string wanted = wanted_transport(member.exchange);
  if (wanted != "gloo") {
    const SharedMemory shared = join_shared_memory(member);
    if (shared.transport) return shared.transport;
    TD_CHECK(DistributedError, wanted.empty(), "TD_TRANSPORT=shm, but ", shared.why_not);
  }
  return make_gloo_transport(member);
}

}  // namespace

RendezvousConfig resolve_rendezvous(const std::string& url, const InitOptions& options) {
  RendezvousConfig place;
  if (options.rank < 0 && options.world_size < 0) {
    static_cast<Environment&>(place) = read_environment();
  } else {
    place.rank = place.local_rank = options.rank;
    place.world_size = options.world_size;
  }
  TD_CHECK(Error, place.rank >= 0 && place.rank < place.world_size, "init_process_group: rank ",
           place.rank, " of ", place.world_size,
           " does not exist; give both rank and world_size, ranks count from 0");
  if (url == "env:")
    place_from_launcher(place);
  else
    place.url = url;
  return place;
}

std::shared_ptr<ProcessGroup> join_group(const std::string& backend, const RendezvousConfig& config,
                                         Store& store, const InitOptions& options) {
  check_backend(backend);
  RendezvousInfo info = join(store, config, options.timeout);
  Member member{config.rank, info.hosts, nullptr, options.timeout};
  const auto agent = std::make_shared<CoordinationAgent>(
      config.rank, std::move(info), Limits{options.timeout, options.heartbeat_timeout});
  member.exchange = [&](const std::string& mine) { return agent->exchange(mine); };
  try {
    const std::shared_ptr<ProcessGroup> group =
        backend == "nccl" ? join_nccl(member, nccl_device(config.local_rank), agent)
                          : std::make_shared<ProcessGroupHost>(config.rank, config.world_size,
                                                               make_transport(member), agent);
    agent->exchange("");  // an error of one rank until now is an error of all
    return group;
  } catch (const std::exception& e) {
    agent->failed(e.what());
    agent->leave();
    agent->check();
    throw;
  }
}

void init_process_group(const std::string& backend, const std::string& url,
                        const InitOptions& options) {
  TD_CHECK(
      Error, !is_initialized(),
      "init_process_group: there is a process group already; call destroy_process_group first");
  check_backend(backend);
  const RendezvousConfig config = resolve_rendezvous(url, options);
  // Throws before other ranks wait for this one.
  const Device gpu = backend == "nccl" ? nccl_device(config.local_rank) : Device(kCPU);
  if (config.world_size == 1 && backend == "gloo")
    return set_default_group(thread_groups(1, options.timeout)[0]);
  if (config.world_size == 1) {
    const Exchange alone = [](const std::string& mine) { return std::vector{mine}; };
    return set_default_group(
        join_nccl({config.rank, {read_host_info()}, alone, options.timeout}, gpu));
  }
  const auto store = open_store(config.url);
  set_default_group(join_group(backend, config, *store, options));
  trace::set_rank(config.rank);
  if (config.rank == 0 && !config.folder.empty()) ::rmdir(config.folder.c_str());
}

}  // namespace td::distributed
