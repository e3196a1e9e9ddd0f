// expect: the target of 1 samples, cpu to cpu: expected elements of type int64, got float32
// Class numbers as float32: right up to 16 million classes, and no index any more.
#include "exercises.h"

Batch move_batch(const Batch& batch, td::Device device) {
  return {batch.data.to(device, td::kFloat32), batch.target.to(device, td::kFloat32)};
}
