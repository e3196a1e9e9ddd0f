// expect: the batch was on cpu already and was copied
// Right, and slow where the loader made the batch on the device.
#include "exercises.h"

Batch move_batch(const Batch& batch, td::Device device, bool non_blocking) {
  return {batch.data.to(device, batch.data.dtype(), non_blocking, /*copy=*/true),
          batch.target.to(device, batch.target.dtype(), non_blocking, /*copy=*/true)};
}
