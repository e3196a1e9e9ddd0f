// expect: a target of real numbers: expected elements of type float32, got int64
// Right for classification. The targets of a regression lose their digits after the point.
#include "exercises.h"

Batch move_batch(const Batch& batch, td::Device device, bool non_blocking) {
  return {batch.data.to(device, non_blocking), batch.target.to(device, td::kInt64, non_blocking)};
}
