// Where a process joins its peers, for each launcher.
#include <unistd.h>

#include <cstdlib>
#include <map>

#include "catch.h"
#include "distributed/rendezvous/rendezvous.h"
#include "td/base/error.h"

using namespace td;
using namespace td::distributed;

namespace {

// Launchers' variables as long as it lives, and none but these.
class Variables {
 public:
  explicit Variables(const std::map<std::string, std::string>& values) {
    for (const char* name :
         {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT",
          "TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT", "TD_RENDEZVOUS", "PMIX_NAMESPACE",
          "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
          "OMPI_COMM_WORLD_LOCAL_SIZE", "TMPDIR"}) {
      const char* value = std::getenv(name);
      if (value) before_[name] = value;
      names_.push_back(name);
      ::unsetenv(name);
    }
    for (const auto& [name, value] : values) ::setenv(name.c_str(), value.c_str(), 1);
  }
  ~Variables() {
    for (const char* name : names_) ::unsetenv(name);
    for (const auto& [name, value] : before_) ::setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  std::vector<const char*> names_;
  std::map<std::string, std::string> before_;
};

const std::map<std::string, std::string> kTorchrun = {{"RANK", "1"},
                                                      {"WORLD_SIZE", "2"},
                                                      {"LOCAL_RANK", "1"},
                                                      {"LOCAL_WORLD_SIZE", "2"},
                                                      {"MASTER_ADDR", "127.0.0.1"},
                                                      {"MASTER_PORT", "29500"},
                                                      {"TORCHELASTIC_RUN_ID", "../none"},
                                                      {"TORCHELASTIC_RESTART_COUNT", "3"}};

const std::map<std::string, std::string> kOpenMpi = {{"OMPI_COMM_WORLD_RANK", "2"},
                                                     {"OMPI_COMM_WORLD_SIZE", "4"},
                                                     {"OMPI_COMM_WORLD_LOCAL_RANK", "0"},
                                                     {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};

}  // namespace

TEST_CASE("torchrun's ranks on one host join in a directory named after the run") {
  const Variables variables(kTorchrun);
  const RendezvousConfig place = resolve_rendezvous("env:", {});
  CHECK(place.rank == 1);
  CHECK(place.world_size == 2);
  CHECK(place.url == "file:///tmp/todevice-" + std::to_string(::getuid()) + "----none-29500-3");
  CHECK(place.url == "file://" + place.folder);
}

TEST_CASE("torchrun's ranks on several hosts need a location that all can reach") {
  auto values = kTorchrun;
  values["LOCAL_WORLD_SIZE"] = "1";
  values["LOCAL_RANK"] = "0";
  const Variables variables(values);
  CHECK_THROWS_WITH(
      resolve_rendezvous("env:", {}),
      "init_process_group: torchrun has started ranks on several hosts and tells them "
      "no place to meet: start a redis-server that all can reach, and give "
      "\"redis://host:port\" as url or in TD_RENDEZVOUS");
  CHECK(resolve_rendezvous("redis://alpha:6379", {}).url == "redis://alpha:6379");
}

TEST_CASE("mpirun's ranks join through PMIx; without it the error says what to do") {
  auto values = kOpenMpi;
  {
    const Variables variables(values);
    CHECK_THROWS_WITH(
        resolve_rendezvous("env:", {}),
        Catch::Contains("this is rank 2 of 4, but nothing says where the ranks meet"));
  }
  values["PMIX_NAMESPACE"] = "job";
  {
    const Variables variables(values);
    CHECK(resolve_rendezvous("env:", {}).url == "pmix:");
  }
  values["TD_RENDEZVOUS"] = "file:///shared";
  const Variables variables(values);
  CHECK(resolve_rendezvous("env:", {}).url == "file:///shared");
}

TEST_CASE("options override the environment") {
  const Variables variables(kTorchrun);
  InitOptions options;
  options.rank = 3;
  options.world_size = 8;
  const RendezvousConfig place = resolve_rendezvous("file:///here", options);
  CHECK(place.rank == 3);
  CHECK(place.world_size == 8);
  options.world_size = -1;
  CHECK_THROWS_WITH(resolve_rendezvous("file:///here", options),
                    "init_process_group: rank 3 of -1 does not exist; give both rank and "
                    "world_size, ranks count from 0");
}
