// expect: for a batch in pinned memory, although non_blocking is
// Passes the argument on for the larger tensor only.
#include "exercises.h"

Batch move_batch(const Batch& batch, td::Device device, bool non_blocking) {
  return {batch.data.to(device, non_blocking), batch.target.to(device)};
}
