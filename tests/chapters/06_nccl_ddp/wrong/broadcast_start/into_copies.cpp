// expect: channels last: tensor 0 that rank 1 of 2 had before
// Right for contiguous parameters: contiguous() of another order is a copy, and the values stay
// there.
#include "exercises.h"

void broadcast_start(td::nn::Module& model, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> tensors = model.parameters();
  for (const td::Tensor& buffer : model.buffers()) tensors.push_back(buffer);
  for (const td::Tensor& tensor : tensors) group.broadcast(tensor.contiguous(), 0)->wait();
}
