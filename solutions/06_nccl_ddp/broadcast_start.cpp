// broadcast_start: exercise 6.broadcast_start, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

void broadcast_start(td::nn::Module& model, ProcessGroup& group) {
  // blank: Copy parameters and buffers of rank 0 into the existing tensors. 7 lines.
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> tensors = model.parameters();
  for (const td::Tensor& buffer : model.buffers()) tensors.push_back(buffer);
  for (td::Tensor& tensor : tensors) {
    const td::Tensor values = tensor.contiguous();  // the tensor itself if it is contiguous
    group.broadcast(values, 0)->wait();
    if (!values.is_same(tensor)) tensor.copy_(values);
  }
  // end
}
