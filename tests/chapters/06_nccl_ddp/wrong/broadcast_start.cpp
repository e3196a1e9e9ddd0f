#include "exercises.h"

// answer: does_not_wait
// expect: were waited for
// Returns while the values of rank 0 may still be on their way.
namespace does_not_wait {
void broadcast_start(td::nn::Module& model, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> tensors = model.parameters();
  for (const td::Tensor& buffer : model.buffers()) tensors.push_back(buffer);
  for (td::Tensor& tensor : tensors) {
    const td::Tensor values = tensor.contiguous();  // the tensor itself if it is contiguous
    group.broadcast(values, 0);
    if (!values.is_same(tensor)) tensor.copy_(values);
  }
}
}  // namespace does_not_wait

// answer: everybody_is_the_root
// expect: the ranks do not make the same call
// Each rank names itself as the root.
namespace everybody_is_the_root {
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
}  // namespace everybody_is_the_root

// answer: into_copies
// expect: channels last: tensor 0 that rank 1 of 2 had before
// Right for contiguous parameters: contiguous() of another order is a copy, and the values stay
// there.
namespace into_copies {
void broadcast_start(td::nn::Module& model, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> tensors = model.parameters();
  for (const td::Tensor& buffer : model.buffers()) tensors.push_back(buffer);
  for (const td::Tensor& tensor : tensors) group.broadcast(tensor.contiguous(), 0)->wait();
}
}  // namespace into_copies

// answer: new_memory
// expect: has other memory now
// Gives the tensors the memory of the message.
namespace new_memory {
void broadcast_start(td::nn::Module& model, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> tensors = model.parameters();
  for (const td::Tensor& buffer : model.buffers()) tensors.push_back(buffer);
  for (td::Tensor& tensor : tensors) {
    const td::Tensor values = tensor.detach().clone(td::MemoryFormat::Contiguous);
    group.broadcast(values, 0)->wait();
    tensor.set_data(values);
  }
}
}  // namespace new_memory

// answer: only_rank_0_calls
// expect: that rank 1 of 3 had before
// Only the rank that has the values calls broadcast, but all ranks must call it.
namespace only_rank_0_calls {
void broadcast_start(td::nn::Module& model, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  if (group.rank() != 0) return;
  std::vector<std::shared_ptr<td::distributed::Work>> works;
  for (td::Tensor& tensor : model.parameters()) works.push_back(group.broadcast(tensor, 0));
  for (td::Tensor& tensor : model.buffers()) works.push_back(group.broadcast(tensor, 0));
}
}  // namespace only_rank_0_calls

// answer: parameters_only
// expect: on cpu: tensor 6 that rank 1 of 3 had before
// The running mean of batch norm stays each rank's own.
namespace parameters_only {
void broadcast_start(td::nn::Module& model, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  for (td::Tensor& tensor : model.parameters()) {
    const td::Tensor values = tensor.contiguous();
    group.broadcast(values, 0)->wait();
    if (!values.is_same(tensor)) tensor.copy_(values);
  }
}
}  // namespace parameters_only

// answer: skips_frozen
// expect: a double model with a frozen weight: tensor 0 that rank 1 of 2 had before
// Frozen parameters keep the values of each rank.
namespace skips_frozen {
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
}  // namespace skips_frozen

// answer: the_mean_of_all
// expect: on cpu: tensor 0 that rank 0 of 3 had before
// All ranks are alike afterwards, but not like rank 0: the mean of random weights is small.
namespace the_mean_of_all {
void broadcast_start(td::nn::Module& model, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  std::vector<td::Tensor> tensors = model.parameters();
  for (const td::Tensor& buffer : model.buffers()) tensors.push_back(buffer);
  for (td::Tensor& tensor : tensors) {
    const td::Tensor values = tensor.contiguous();
    group.all_reduce(values)->wait();
    tensor.copy_(tensor.is_floating_point() ? values / group.size() : values);
  }
}
}  // namespace the_mean_of_all

// answer: children_only
// expect: the parameter "scale" of rank 1 of 2; the module has a parameter and a buffer itself
// Goes through the layers, and leaves out what belongs to the module itself.
namespace children_only {
void broadcast_start(td::nn::Module& model, ProcessGroup& group) {
  const td::NoGradGuard no_grad;
  for (const auto& child : model.children()) {
    td::TensorList tensors = child->parameters();
    for (const td::Tensor& buffer : child->buffers()) tensors.push_back(buffer);
    for (const td::Tensor& tensor : tensors) {
      const td::Tensor values = tensor.detach().contiguous();
      group.broadcast(values, 0)->wait();
      tensor.detach().copy_(values);
    }
  }
}
}  // namespace children_only
