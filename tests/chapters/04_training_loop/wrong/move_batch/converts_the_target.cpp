// expect: the target of 1 samples, cpu to cpu: expected elements of type int64, got float32
// Class indices as float32 are no indices any more.
#include "exercises.h"

Batch move_batch(const Batch& batch, td::Device device, bool non_blocking) {
  return {batch.data.to(device, td::kFloat32, non_blocking),
          batch.target.to(device, td::kFloat32, non_blocking)};
}
