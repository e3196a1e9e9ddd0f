#include "exercises.h"

// answer: always_copies
// Sends a contiguous copy of every tensor and copies it back.
namespace always_copies {
void broadcast_start(td::nn::Module& model, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> tensors = model.parameters();
  for (const td::Tensor& buffer : model.buffers()) tensors.push_back(buffer);
  for (td::Tensor& tensor : tensors) {
    const td::Tensor values = tensor.detach().clone(td::MemoryFormat::Contiguous);
    group.broadcast(values, 0)->wait();
    tensor.copy_(values);
  }
}
}  // namespace always_copies
