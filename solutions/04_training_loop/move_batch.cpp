// move_batch: exercise 4.move_batch, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

Batch move_batch(const Batch& batch, td::Device device, bool non_blocking) {
  // blank: Both parts of the batch. 1 line.
  return {batch.data.to(device, non_blocking), batch.target.to(device, non_blocking)};
  // end
}
