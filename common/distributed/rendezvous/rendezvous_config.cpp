// Rank, size and store, from the options or from the launcher of this process.
#include <unistd.h>

#include <cctype>

#include "distributed/launch/environment.h"
#include "distributed/rendezvous/rendezvous_config.h"

namespace td::distributed {
namespace {

// Letters that a file's name may have, for a run's name of any kind.
std::string as_name(const std::string& text) {
  std::string name;
  for (const char c : text) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  return name;
}

// torchrun tells no place that we could use: its own store speaks PyTorch's protocol.
void derive_from_torchrun(const Environment& environment, RendezvousConfig& place) {
  TD_CHECK(
      Error, environment.local_world_size == environment.world_size,
      "init_process_group: torchrun has started ranks on several hosts and tells them no place "
      "to meet: start a redis-server that all can reach, and give \"redis://host:port\" as url "
      "or in TD_RENDEZVOUS");
  const std::string temporary = variable("TMPDIR").empty() ? "/tmp" : variable("TMPDIR");
  place.folder = temporary + "/todevice-" + std::to_string(getuid()) + "-" +
                 as_name(environment.run_id) + "-" + std::to_string(environment.master_port) + "-" +
                 std::to_string(environment.restart_count);
  place.url = "file://" + place.folder;
}

// Several runs may meet in one folder or at one server at the same time, each under its own name.
void take_place_of_run(const std::string& url, RendezvousConfig& place) {
  const std::string run = as_name(variable("TORCHELASTIC_RUN_ID"));
  place.url = url;
  if (run.empty() || url == "pmix:") return;
  if (url.back() != '/') place.url += '/';
  place.url += run;
  if (place.url.rfind("file://", 0) == 0) place.folder = place.url.substr(7);
}

void place_from_launcher(const Environment& environment, RendezvousConfig& place) {
  if (const std::string url = variable("TD_RENDEZVOUS"); !url.empty())
    take_place_of_run(url, place);
  if (!place.url.empty() || place.world_size == 1) return;
  if (!variable("PMIX_NAMESPACE").empty())
    place.url = "pmix:";
  else if (environment.source == "torchrun" && !environment.master_addr.empty())
    derive_from_torchrun(environment, place);
  TD_CHECK(Error, !place.url.empty(), "init_process_group: this is rank ", place.rank, " of ",
           place.world_size,
           ", but nothing says where the ranks meet: start the program by ./course launch -n ",
           place.world_size,
           " PROGRAM, or give a url such as \"file:///folder\" or "
           "\"redis://host:port\", also in TD_RENDEZVOUS");
}

}  // namespace

RendezvousConfig resolve_rendezvous(const std::string& url, const InitOptions& options) {
  RendezvousConfig place;
  Environment environment;
  if (options.rank < 0 && options.world_size < 0) {
    environment = read_environment();
    place.rank = environment.rank;
    place.world_size = environment.world_size;
    place.local_rank = environment.local_rank;
  } else {
    place.rank = place.local_rank = options.rank;
    place.world_size = options.world_size;
  }
  TD_CHECK(Error, place.rank >= 0 && place.rank < place.world_size, "init_process_group: rank ",
           place.rank, " of ", place.world_size,
           " does not exist; give both rank and world_size, ranks count from 0");
  if (url == "env:")
    place_from_launcher(environment, place);
  else
    place.url = url;
  return place;
}

}  // namespace td::distributed
