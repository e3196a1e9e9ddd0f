// Keeping tensors for backward and handing them out again.
#include "td/autograd/saved.h"

#include "td/autograd/meta.h"
#include "td/device/thread_state.h"

namespace td {

Saved save(const Tensor& input) {
  TD_CHECK(AutogradError, !input.defined() || !input.impl().inference,
           "a tensor made in inference mode cannot be kept for a gradient; clone it outside that "
           "mode");
  Saved saved;
  saved.tensor_ = input;
  if (input.defined()) saved.version_ = input.impl().storage->version();
  return saved;
}

Saved save_result(const Tensor& result) {
  // Without its graph: the node keeps this tensor, so the tensor must not keep the node.
  Saved saved;
  saved.tensor_ = alias(result, result.impl().sizes, result.impl().strides, result.impl().offset);
  saved.version_ = result.impl().storage->version();
  saved.result_ = true;
  return saved;
}

Tensor Saved::operator()() const {
  if (!tensor_.defined()) return tensor_;
  TD_CHECK(AutogradError, tensor_.impl().storage->version() == version_,
           "backward: a tensor of sizes ", tensor_.sizes(),
           " that was saved for the gradient has been changed in place since (version ",
           tensor_.impl().storage->version(), ", expected ", version_,
           "). Use the operation without the trailing underscore, or change a clone().");
  if (!result_ || !thread_state().grad_mode) return tensor_;
  Node* node = static_cast<Node*>(thread_state().current_node);
  Tensor result =
      alias(tensor_, tensor_.impl().sizes, tensor_.impl().strides, tensor_.impl().offset);
  AutogradMeta& meta = meta_of(result);
  meta.grad_fn = intrusive_ptr<Node>(node);
  meta.view_version = version_;
  result.impl().requires_grad = true;
  return result;
}

}  // namespace td
