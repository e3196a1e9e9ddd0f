// Chooses devices for ranks and prints their lines. Invariant: ranks of one host never choose the
// same GPU, because NCCL refuses that.
#include "app/rank.h"

#include <iostream>

#include "distributed/distributed.h"
#include "distributed/launch/environment.h"

namespace app {
namespace {

using td::distributed::Environment;

std::string count(int n, const std::string& noun) {
  return std::to_string(n) + ' ' + noun + (n == 1 ? "" : "s");
}

td::Device named(const Options& options, const Environment& here) {
  const auto local = static_cast<std::size_t>(here.local_rank);
  if (local >= options.devices.size())
    throw CannotRunHere("--devices names " + count(std::ssize(options.devices), "device") +
                        " for " + count(here.local_world_size, "rank") +
                        " on this host; name one per rank");
  return td::check_device(td::Device(options.devices[local]));
}

}  // namespace

td::Device device_of_rank(const Options& options) {
  const Environment here = td::distributed::read_environment();
  if (!options.devices.empty()) return named(options, here);
  const int gpus = td::device_count(td::kCUDA);
  // Slurm and MPI may show each rank only its own GPU, which is then cuda:0 for all of them.
  const bool one_each = gpus == 1 && here.source != "torchrun";
  const bool enough = one_each || gpus >= here.local_world_size;
  if (options.device == "cuda" || (options.device == "auto" && gpus > 0 && enough)) {
    if (gpus > 1 && here.local_rank >= gpus)
      throw CannotRunHere("rank " + std::to_string(here.rank) + " has no GPU: this host has " +
                          std::to_string(gpus) +
                          "; start at most that many ranks here, or use --device cpu");
    return td::check_device(td::Device(td::kCUDA, gpus == 1 ? 0 : here.local_rank));
  }
  if (options.device != "auto") return td::check_device(td::Device(options.device));
  if (gpus > 0 && here.rank == 0)
    std::cout << "This host has " << count(gpus, "GPU") << " for "
              << count(here.local_world_size, "rank") << ", so the ranks use sim devices\n";
  return td::check_device(td::Device(td::kSIM, 0));
}

void print_line_by_rank(const std::string& line) {
  for (int turn = 0; turn < td::distributed::get_world_size(); ++turn) {
    if (turn == td::distributed::get_rank()) std::cout << line + '\n' << std::flush;
    td::distributed::barrier();
  }
}

}  // namespace app
