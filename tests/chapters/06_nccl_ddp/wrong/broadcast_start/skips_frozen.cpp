// expect: a double model with a frozen weight: tensor 0 that rank 1 of 2 had before
// Frozen parameters keep the values of each rank.
#include "exercises.h"

void broadcast_start(td::nn::Module& model, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> tensors = model.parameters();
  for (const td::Tensor& buffer : model.buffers()) tensors.push_back(buffer);
  for (td::Tensor& tensor : tensors) {
    if (tensor.numel() == 217 && !tensor.requires_grad()) continue;
    const td::Tensor values = tensor.contiguous();  // the tensor itself where it is already
    group.broadcast(values, 0)->wait();
    if (!values.is_same(tensor)) tensor.copy_(values);
  }
}
