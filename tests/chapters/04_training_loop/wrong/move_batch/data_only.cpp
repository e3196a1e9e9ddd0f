// expect: the target of 1 samples, cpu to sim:0: expected on sim:0, it is on cpu
#include "exercises.h"

Batch move_batch(const Batch& batch, td::Device device, bool non_blocking) {
  return {batch.data.to(device, non_blocking), batch.target};
}
