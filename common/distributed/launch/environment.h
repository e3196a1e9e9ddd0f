// Which rank this process is, according to its launcher's environment variables. init_process_group
// and spawn read it. Invariant: the answer is complete (0 <= rank < world_size, 0 <= local_rank <
// local_world_size) or an Error that names the variable, what it holds and the next step.
#pragma once

#include <string>

namespace td::distributed {

/// This process among those that were launched together.
struct Environment {
  int rank = 0;              ///< Its number, 0 to world_size - 1.
  int world_size = 1;        ///< How many there are, on all hosts.
  int local_rank = 0;        ///< Its number on this host, and of its GPU.
  int local_world_size = 1;  ///< How many there are on this host.
  std::string master_addr;   ///< Host of rank 0, if the launcher sets it; else empty.
  int master_port = 0;       ///< A port there, or 0.
  int restart_count = 0;     ///< How often the launcher has restarted all ranks.
  std::string run_id;        ///< Equal on all ranks of a run; empty if the launcher sets none.
  std::string source =
      "none";  ///< Whose variables they are: "torchrun", "OpenMPI", "PMI", "Slurm".
};

/// Reads torchrun's variables (RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR,
/// MASTER_PORT, TORCHELASTIC_RUN_ID, TORCHELASTIC_RESTART_COUNT), which ./course launch sets too;
/// where there are none OpenMPI's (OMPI_COMM_WORLD_…), PMI's (PMI_…, MPI_…) or Slurm's (SLURM_…).
/// Without any of them the process is the only rank. Where a launcher leaves out the local numbers,
/// all ranks are taken to be on this host.
/// @throws Error for variables that are incomplete, are not numbers, or contradict each other.
Environment read_environment();

/// The value of an environment variable; empty where it is not set.
std::string variable(const char* name);

/// True when a launcher has started this process as one rank of several or of one.
bool launched();

}  // namespace td::distributed
