// expect: the data of 1 samples, cpu to sim:1: expected on sim:1
// Forgets the index. Right on a machine with one device.
#include "exercises.h"

Batch move_batch(const Batch& batch, td::Device device, bool non_blocking) {
  const td::Device first = device.is_cpu() ? device : td::Device(device.type(), 0);
  return {batch.data.to(first, non_blocking), batch.target.to(first, non_blocking)};
}
