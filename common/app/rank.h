// For programs that a launcher starts once per device: the device of this rank, and lines in the
// order of the ranks. Included by programs that call init_process_group.
#pragma once

#include <string>

#include "app/app.h"
#include "td/base/error.h"

namespace app {

/// Returns the device of this rank, which is one of several on this host. `--devices` names one per
/// rank. Otherwise each rank gets its own GPU, cuda:LOCAL_RANK. With `--device auto` on a host that
/// has too few GPUs, every rank gets its own process's sim:0; rank 0 says so.
/// @throws CannotRunHere if `--devices` names too few, or `--device cuda` finds too few GPUs.
td::Device device_of_rank(const Options& options);

/// Prints one line of every rank, in the order of the ranks: `parts` one after another. All ranks
/// must call it.
///@{
void print_line_by_rank(const std::string& line);
template <class... Parts>
void print_by_rank(const Parts&... parts) {
  print_line_by_rank(td::str(parts...));
}
///@}

}  // namespace app
