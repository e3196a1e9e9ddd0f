// expect: the ranks do not make the same call
// Each rank names itself as the root.
#include "exercises.h"

void broadcast_start(td::nn::Module& model, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> tensors = model.parameters();
  for (const td::Tensor& buffer : model.buffers()) tensors.push_back(buffer);
  for (td::Tensor& tensor : tensors) {
    const td::Tensor values = tensor.contiguous();
    group.broadcast(values, group.rank())->wait();
    if (!values.is_same(tensor)) tensor.copy_(values);
  }
}
