// Which rank a process is, from the variables of four launchers, and errors for damaged variables.
#include "distributed/launch/environment.h"

#include <cstdlib>
#include <map>
#include <optional>
#include <string>

#include "catch.h"
#include "td/base/error.h"

using td::distributed::Environment;
using td::distributed::read_environment;

namespace {

using Variables = std::map<std::string, std::string>;

/// Until the end of the scope the process has these of all variables that launchers set.
class Surroundings {
 public:
  explicit Surroundings(const Variables& variables) {
    for (const char* name : {"RANK",
                             "WORLD_SIZE",
                             "LOCAL_RANK",
                             "LOCAL_WORLD_SIZE",
                             "MASTER_ADDR",
                             "MASTER_PORT",
                             "TORCHELASTIC_RUN_ID",
                             "TORCHELASTIC_RESTART_COUNT",
                             "OMPI_COMM_WORLD_RANK",
                             "OMPI_COMM_WORLD_SIZE",
                             "OMPI_COMM_WORLD_LOCAL_RANK",
                             "OMPI_COMM_WORLD_LOCAL_SIZE",
                             "PMI_RANK",
                             "PMI_SIZE",
                             "MPI_LOCALRANKID",
                             "MPI_LOCALNRANKS",
                             "SLURM_PROCID",
                             "SLURM_NTASKS",
                             "SLURM_STEP_NUM_TASKS",
                             "SLURM_LOCALID",
                             "SLURM_NTASKS_PER_NODE"}) {
      const char* value = std::getenv(name);
      before_[name] = value ? std::optional<std::string>(value) : std::nullopt;
      unsetenv(name);
    }
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  }
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;
  ~Surroundings() {
    for (const auto& [name, value] : before_)
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
  }

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

std::string complaint(const Variables& variables) {
  const Surroundings surroundings(variables);
  try {
    read_environment();
  } catch (const td::Error& error) {
    return error.what();
  }
  return "no complaint";
}

void check_ranks(const Environment& found, int rank, int world, int local_rank, int local_world) {
  CHECK(found.rank == rank);
  CHECK(found.world_size == world);
  CHECK(found.local_rank == local_rank);
  CHECK(found.local_world_size == local_world);
}

const std::string kNext =
    "start the program with  ./course launch -n 2 PROGRAM  or unset the variable";

}  // namespace

TEST_CASE("without a launcher the world is one process") {
  const Surroundings surroundings(Variables{});
  const Environment found = read_environment();
  check_ranks(found, 0, 1, 0, 1);
  CHECK(found.source == "none");
  CHECK(found.master_addr.empty());
  CHECK(found.master_port == 0);
  CHECK(found.run_id.empty());
  CHECK(found.restart_count == 0);
  CHECK_FALSE(td::distributed::launched());
}

TEST_CASE("torchrun's variables") {
  const Surroundings surroundings({{"RANK", "5"},
                                   {"WORLD_SIZE", "8"},
                                   {"LOCAL_RANK", "1"},
                                   {"LOCAL_WORLD_SIZE", "4"},
                                   {"MASTER_ADDR", "10.0.0.1"},
                                   {"MASTER_PORT", "29500"},
                                   {"TORCHELASTIC_RUN_ID", "run 7"},
                                   {"TORCHELASTIC_RESTART_COUNT", "2"}});
  const Environment found = read_environment();
  check_ranks(found, 5, 8, 1, 4);
  CHECK(found.source == "torchrun");
  CHECK(found.master_addr == "10.0.0.1");
  CHECK(found.master_port == 29500);
  CHECK(found.run_id == "run 7");
  CHECK(found.restart_count == 2);
  CHECK(td::distributed::launched());
}

TEST_CASE("local ranks that a launcher leaves out") {
  const Surroundings one_host({{"RANK", "1"}, {"WORLD_SIZE", "3"}});
  check_ranks(read_environment(), 1, 3, 1, 3);
  const Surroundings two_hosts({{"RANK", "5"}, {"WORLD_SIZE", "6"}, {"LOCAL_WORLD_SIZE", "3"}});
  check_ranks(read_environment(), 5, 6, 2, 3);
}

TEST_CASE("OpenMPI's, PMI's and Slurm's variables") {
  {
    const Surroundings surroundings({{"OMPI_COMM_WORLD_RANK", "3"},
                                     {"OMPI_COMM_WORLD_SIZE", "4"},
                                     {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                     {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
    check_ranks(read_environment(), 3, 4, 1, 2);
    CHECK(read_environment().source == "OpenMPI");
  }
  {
    const Surroundings surroundings(
        {{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "0"}, {"MPI_LOCALNRANKS", "1"}});
    check_ranks(read_environment(), 1, 2, 0, 1);
    CHECK(read_environment().source == "PMI");
  }
  const Surroundings surroundings({{"SLURM_PROCID", "2"},
                                   {"SLURM_NTASKS", "8"},
                                   {"SLURM_STEP_NUM_TASKS", "4"},
                                   {"SLURM_LOCALID", "0"},
                                   {"SLURM_NTASKS_PER_NODE", "2"}});
  check_ranks(read_environment(), 2, 4, 0, 2);
  CHECK(read_environment().source == "Slurm");
}

TEST_CASE("torchrun's variables win over those of what started torchrun") {
  const Surroundings surroundings({{"RANK", "0"},
                                   {"WORLD_SIZE", "2"},
                                   {"SLURM_PROCID", "7"},
                                   {"SLURM_NTASKS", "9"},
                                   {"OMPI_COMM_WORLD_RANK", "nonsense"}});
  check_ranks(read_environment(), 0, 2, 0, 2);
}

TEST_CASE("a job's script is not a rank: Slurm's number of tasks by itself means nothing") {
  const Surroundings surroundings(Variables{{"SLURM_NTASKS", "4"}});
  check_ranks(read_environment(), 0, 1, 0, 1);
}

TEST_CASE("a damaged variable is an error with its name, its value and what to do") {
  CHECK(complaint({{"RANK", "0"}}) == "RANK is 0, but WORLD_SIZE is not set; " + kNext);
  CHECK(complaint({{"WORLD_SIZE", "2"}}) == "WORLD_SIZE is 2, but RANK is not set; " + kNext);
  CHECK(complaint({{"SLURM_PROCID", "1"}}) ==
        "SLURM_PROCID is 1, but SLURM_NTASKS is not set; " + kNext);
  CHECK(complaint({{"RANK", "one"}, {"WORLD_SIZE", "2"}}) ==
        "RANK is \"one\"; expected an integer of at least 0; " + kNext);
  CHECK(complaint({{"RANK", "0"}, {"WORLD_SIZE", "0"}}) ==
        "WORLD_SIZE is \"0\"; expected an integer of at least 1; " + kNext);
  CHECK(complaint({{"RANK", "-1"}, {"WORLD_SIZE", "2"}}) ==
        "RANK is \"-1\"; expected an integer of at least 0; " + kNext);
  CHECK(complaint({{"RANK", "1x"}, {"WORLD_SIZE", "2"}}) ==
        "RANK is \"1x\"; expected an integer of at least 0; " + kNext);
  CHECK(complaint({{"RANK", "0"}, {"WORLD_SIZE", "99999999999999999999"}}) ==
        "WORLD_SIZE is \"99999999999999999999\"; expected an integer of at least 1; " + kNext);
  CHECK(complaint({{"RANK", "2"}, {"WORLD_SIZE", "2"}}) ==
        "RANK is 2, but WORLD_SIZE is 2: ranks are numbered from 0 to 1; " + kNext);
  CHECK(complaint(
            {{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "1"}}) ==
        "LOCAL_RANK is 1, but LOCAL_WORLD_SIZE is 1: ranks are numbered from 0 to 0; " + kNext);
  CHECK(complaint({{"MASTER_PORT", "70000"}}) ==
        "MASTER_PORT is 70000; ports end at 65535; " + kNext);
  CHECK(complaint({{"TORCHELASTIC_RESTART_COUNT", "often"}}) ==
        "TORCHELASTIC_RESTART_COUNT is \"often\"; expected an integer of at least 0; " + kNext);
}
