// init_process_group: rendezvous, control plane, data plane, group.
#include <unistd.h>

#include <cstdlib>

#include "distributed/control/control.h"
#include "distributed/planes/gloo_plane.h"
#include "distributed/planes/nccl_group.h"
#include "distributed/planes/one_plane.h"
#include "distributed/planes/shared_plane.h"
#include "distributed/rendezvous/joining.h"
#include "distributed/rendezvous/rendezvous.h"
#include "td/base/span_recorder.h"

namespace td::distributed {
namespace {

// How much longer a data plane waits for a message than a call may take: the control plane ends the
// call before, and says why.
constexpr std::chrono::seconds kBehindControl(10);

void check_backend(const std::string& backend) {
  TD_CHECK(
      Error, backend == "gloo" || backend == "nccl", "init_process_group: \"", backend,
      "\" is no backend; expected \"gloo\" for cpu and sim tensors or \"nccl\" for cuda tensors");
}

// What TD_DATA_PLANE says, when all ranks say the same.
std::string wanted_plane(Control& control) {
  const char* const value = std::getenv("TD_DATA_PLANE");
  const std::string wanted = value ? value : "";
  const auto all = control.exchange(wanted);
  for (std::size_t r = 0; r < all.size(); ++r)
    TD_CHECK(DistributedError, all[r] == all[0], "TD_DATA_PLANE is \"", all[0],
             "\" on rank 0 but \"", all[r], "\" on rank ", r, "; all ranks need the same");
  TD_CHECK(DistributedError, wanted.empty() || wanted == "gloo" || wanted == "shm",
           "TD_DATA_PLANE=", wanted, ": expected gloo or shm");
  return wanted;
}

std::vector<HostFacts> hosts_of(const Meeting& meeting) {
  std::vector<HostFacts> hosts;
  for (const Member& member : meeting.members) hosts.push_back(member.host);
  return hosts;
}

std::shared_ptr<HostPlane> make_plane(const Place& place, const Meeting& meeting, Store& store,
                                      const InitOptions& options, Control& control) {
  const std::string wanted = wanted_plane(control);
  if (wanted != "gloo") {
    const auto exchange = [&](const std::string& mine) { return control.exchange(mine); };
    const SharedMemory shared = join_shared_memory(place.rank, hosts_of(meeting), exchange);
    if (shared.plane) return shared.plane;
    TD_CHECK(DistributedError, wanted.empty(), "TD_DATA_PLANE=shm, but ", shared.why_not);
  }
  GlooOptions gloo;
  gloo.rank = place.rank;
  gloo.size = place.world_size;
  gloo.address = meeting.members[place.rank].address;
  gloo.run = meeting.run;
  gloo.connect_timeout = options.timeout;
  gloo.timeout = options.timeout + kBehindControl;
  gloo.check = [&control] { control.check(); };
  return make_gloo_plane(gloo, store);
}

std::shared_ptr<ProcessGroup> make_nccl_group(const Place& place, const Meeting& meeting,
                                              const InitOptions& options,
                                              const std::shared_ptr<Control>& control) {
  NcclOptions nccl;
  nccl.rank = place.rank;
  nccl.hosts = hosts_of(meeting);
  nccl.device = nccl_device(place.local_rank);
  nccl.timeout = options.timeout;
  nccl.exchange = [&](const std::string& mine) { return control->exchange(mine); };
  nccl.check = [&] { control->check(); };
  nccl.observer = control;
  return join_nccl(nccl);
}

// A group of one rank, which meets nobody.
std::shared_ptr<ProcessGroup> make_group_of_one(const std::string& backend, const Place& place,
                                                const InitOptions& options) {
  if (backend == "gloo")
    return std::make_shared<HostGroup>(0, 1, options.timeout, std::make_shared<OnePlane>());
  NcclOptions nccl;
  nccl.hosts = {read_host_facts()};
  nccl.device = nccl_device(place.local_rank);
  nccl.timeout = options.timeout;
  nccl.exchange = [](const std::string& mine) { return std::vector{mine}; };
  return join_nccl(nccl);
}

// Connects the data plane; an error of one rank becomes one of all.
std::shared_ptr<ProcessGroup> connect(const std::string& backend, const Place& place,
                                      const Meeting& meeting, Store& store,
                                      const InitOptions& options,
                                      const std::shared_ptr<Control>& control) {
  try {
    if (backend == "nccl") {
      auto group = make_nccl_group(place, meeting, options, control);
      control->exchange("");
      return group;
    }
    auto plane = make_plane(place, meeting, store, options, *control);
    control->exchange("");  // all are connected: the notes are not needed any more
    return std::make_shared<HostGroup>(place.rank, place.world_size, options.timeout,
                                       std::move(plane), control);
  } catch (const std::exception& e) {
    control->failed(e.what());
    control->leave();
    control->check();
    throw;
  }
}

}  // namespace

std::shared_ptr<ProcessGroup> join_group(const std::string& backend, const Place& place,
                                         Store& store, const InitOptions& options) {
  check_backend(backend);
  std::unique_ptr<Listener> listener;
  const auto listen = [&](const std::string& address) {
    listener = std::make_unique<Listener>(address);
    return listener->address();
  };
  const Meeting meeting = join(store, {place.rank, place.world_size, options.timeout}, listen);
  const auto control =
      open_control(place.rank, meeting, {options.timeout, options.silence}, listener.get());
  auto group = connect(backend, place, meeting, store, options, control);
  if (place.rank == 0) forget(store, meeting);
  return group;
}

void init_process_group(const std::string& backend, const std::string& url,
                        const InitOptions& options) {
  TD_CHECK(
      Error, !is_initialized(),
      "init_process_group: there is a process group already; call destroy_process_group first");
  check_backend(backend);
  const Place place = find_place(url, options);
  if (backend == "nccl") nccl_device(place.local_rank);  // before anybody waits for this rank
  if (place.world_size == 1) return set_default_group(make_group_of_one(backend, place, options));
  const auto store = open_store(place.url);
  set_default_group(join_group(backend, place, *store, options));
  trace::set_rank(place.rank);
  if (place.rank == 0 && !place.folder.empty()) ::rmdir(place.folder.c_str());
}

}  // namespace td::distributed
