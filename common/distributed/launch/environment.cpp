// The variables of four launchers in one table, and one set of checks for all of them.
#include "distributed/launch/environment.h"

#include <charconv>
#include <cstdlib>

#include "td/base/error.h"

namespace td::distributed {
namespace {

constexpr const char* kNextStep =
    "start the program with  ./course launch -n 2 PROGRAM  or unset the variable";

/// How one launcher calls its variables. `world_size_too` counts where `world_size` is not set.
struct Spelling {
  const char* source;
  const char *rank, *world_size, *world_size_too;
  const char *local_rank, *local_world_size;
};

constexpr Spelling kSpellings[] = {
    {"torchrun", "RANK", "WORLD_SIZE", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"},
    {"OpenMPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"PMI", "PMI_RANK", "PMI_SIZE", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    // A step of a job may have fewer tasks than the job.
    {"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_LOCALID",
     "SLURM_NTASKS_PER_NODE"},
};

bool is_set(const char* name) { return !variable(name).empty(); }

/// The variable's value. @throws Error unless it is an integer of at least `least`.
int number_of(const char* name, int least) {
  const std::string text = variable(name);
  int value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  TD_CHECK(Error, *stop == '\0' && error == std::errc() && value >= least, name, " is \"", text,
           "\"; expected an integer of at least ", least, "; ", kNextStep);
  return value;
}

int number_or(const char* name, int least, int otherwise) {
  return is_set(name) ? number_of(name, least) : otherwise;
}

[[noreturn]] void half_set(const char* there, const char* missing) {
  fail<Error>(there, " is ", variable(there), ", but ", missing, " is not set; ", kNextStep);
}

/// A rank must be less than the size.
void check_rank(const char* rank_name, int rank, const char* size_name, int size) {
  if (rank >= size)
    fail<Error>(rank_name, " is ", rank, ", but ", size_name, " is ", size,
                ": ranks are numbered from 0 to ", size - 1, "; ", kNextStep);
}

/// The first launcher whose variables are set, or null.
const Spelling* spelling() {
  // RANK or WORLD_SIZE alone is a mistake that must be reported. But Slurm sets its number of tasks
  // in a job's script too, where no process is a rank.
  if (is_set("WORLD_SIZE")) return kSpellings;
  for (const auto& names : kSpellings)
    if (is_set(names.rank)) return &names;
  return nullptr;
}

Environment read_ranks(const Spelling& names) {
  const char* world_size = is_set(names.world_size) ? names.world_size : names.world_size_too;
  if (!is_set(names.rank)) half_set(world_size, names.rank);
  if (!is_set(world_size)) half_set(names.rank, world_size);
  Environment found;
  found.source = names.source;
  found.rank = number_of(names.rank, 0);
  found.world_size = number_of(world_size, 1);
  check_rank(names.rank, found.rank, world_size, found.world_size);
  found.local_world_size = number_or(names.local_world_size, 1, found.world_size);
  // Launchers number the ranks host by host.
  found.local_rank = number_or(names.local_rank, 0, found.rank % found.local_world_size);
  check_rank(names.local_rank, found.local_rank,
             is_set(names.local_world_size) ? names.local_world_size : world_size,
             found.local_world_size);
  return found;
}

}  // namespace

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

Environment read_environment() {
  const Spelling* names = spelling();
  Environment found = names ? read_ranks(*names) : Environment{};
  found.master_addr = variable("MASTER_ADDR");
  found.master_port = number_or("MASTER_PORT", 1, 0);
  if (found.master_port > 65535)
    fail<Error>("MASTER_PORT is ", found.master_port, "; ports end at 65535; ", kNextStep);
  found.restart_count = number_or("TORCHELASTIC_RESTART_COUNT", 0, 0);
  found.run_id = variable("TORCHELASTIC_RUN_ID");
  return found;
}

bool launched() { return spelling() != nullptr; }

}  // namespace td::distributed
