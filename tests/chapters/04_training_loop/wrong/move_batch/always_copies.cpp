// expect: the batch was on cpu already and was copied
// Right, and slow where the loader made the batch on the device.
#include "exercises.h"

Batch move_batch(const Batch& batch, td::Device device) {
  return {batch.data.to(device, batch.data.dtype(), false, /*copy=*/true),
          batch.target.to(device, batch.target.dtype(), false, /*copy=*/true)};
}
