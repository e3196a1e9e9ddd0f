#include "exercises.h"

// answer: step_by_step
// A copy of the batch, whose two tensors are replaced.
namespace step_by_step {
Batch move_batch(const Batch& batch, td::Device device, bool non_blocking) {
  Batch moved = batch;
  for (td::Tensor* tensor : {&moved.data, &moved.target})
    *tensor = tensor->to(td::TensorOptions(tensor->dtype()).device(device), non_blocking);
  return moved;
}
}  // namespace step_by_step
