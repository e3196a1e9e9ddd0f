#include "exercises.h"

// answer: always_copies
// expect: already has new memory
// Right about every value, but it copies what is on the device already.
namespace always_copies {
void move_tree(td::nn::Module& model, td::Device device) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& p : model.parameters()) {
    p.set_data(p.to(device, p.dtype(), false, /*copy=*/true));
    td::Tensor& gradient = p.mutable_grad();
    if (gradient.defined()) gradient = gradient.to(device);
  }
}
}  // namespace always_copies

// answer: asks_the_first
// expect: tensor 4: expected on
// Right for a model in one place: looks at the first parameter only.
namespace asks_the_first {
void move_tree(td::nn::Module& model, td::Device device) {
  const td::NoGradGuard no_grad;
  if (model.parameters()[0].device() == device) return;
  for (const td::Tensor& p : model.parameters()) {
    p.set_data(p.to(device));
    td::Tensor& gradient = p.mutable_grad();
    if (gradient.defined()) gradient = gradient.to(device);
  }
}
}  // namespace asks_the_first

// answer: converts
// expect: head.weight, which was float64,
// Right for a model in float32.
namespace converts {
void move_tree(td::nn::Module& model, td::Device device) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& p : model.parameters()) {
    p.set_data(p.to(device, td::kFloat32));
    td::Tensor& gradient = p.mutable_grad();
    if (gradient.defined()) gradient = gradient.to(device, td::kFloat32);
  }
}
}  // namespace converts

// answer: drops_gradients
// expect: the gradient of tensor 0 is gone after the move
namespace drops_gradients {
void move_tree(td::nn::Module& model, td::Device device) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : model.parameters()) {
    parameter.set_data(parameter.to(device));
    parameter.mutable_grad() = td::Tensor();
  }
}
}  // namespace drops_gradients

// answer: leaves_gradients
// expect: the gradient of tensor 0: expected on
// Right on the README's example: the gradient stays on the old device.
namespace leaves_gradients {
void move_tree(td::nn::Module& model, td::Device device) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : model.parameters()) parameter.set_data(parameter.to(device));
}
}  // namespace leaves_gradients

// answer: moves_a_copy
// expect: tensor 0: expected on
// Tensor::to does not change the tensor it is called on; the result is thrown away.
namespace moves_a_copy {
void move_tree(td::nn::Module& model, td::Device device) {
  for (td::Tensor parameter : model.parameters()) parameter = parameter.to(device);
}
}  // namespace moves_a_copy

// answer: moves_buffers
// expect: the buffer body.1.running_mean, which must stay,
// Moves everything that the state has.
namespace moves_buffers {
void move_tree(td::nn::Module& model, td::Device device) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& p : model.parameters()) {
    p.set_data(p.to(device));
    td::Tensor& gradient = p.mutable_grad();
    if (gradient.defined()) gradient = gradient.to(device);
  }
  for (const td::Tensor& b : model.buffers()) b.set_data(b.to(device));
}
}  // namespace moves_buffers

// answer: skips_what_is_there
// expect: whose parameter was on sim:0 already
// Goes on to the next parameter when one is on the device, and forgets that its gradient may not
// be.
namespace skips_what_is_there {
void move_tree(td::nn::Module& model, td::Device device) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : model.parameters()) {
    if (parameter.device() == td::check_device(device)) continue;
    parameter.set_data(parameter.to(device));
    td::Tensor& gradient = parameter.mutable_grad();
    if (gradient.defined()) gradient = gradient.to(device);
  }
}
}  // namespace skips_what_is_there

// answer: thaws
// expect: the frozen weight requires a gradient again
namespace thaws {
void move_tree(td::nn::Module& model, td::Device device) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : model.parameters()) {
    parameter.set_data(parameter.to(device));
    parameter.set_requires_grad(true);
    td::Tensor& gradient = parameter.mutable_grad();
    if (gradient.defined()) gradient = gradient.to(device);
  }
}
}  // namespace thaws

// answer: top_level_only
// expect: tensor 0: expected on
// Only the module's own parameters; those of its children stay.
namespace top_level_only {
void move_tree(td::nn::Module& model, td::Device device) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : model.parameters(/*recurse=*/false))
    parameter.set_data(parameter.to(device));
}
}  // namespace top_level_only

// answer: all_or_nothing
// expect: the body was on sim:0 already, and has new memory
// Copies nothing for a model that is there, and everything for a model of which a part is missing.
namespace all_or_nothing {
void move_tree(td::nn::Module& model, td::Device device) {
  const td::NoGradGuard no_grad;
  bool there = true;
  for (const td::Tensor& p : model.parameters())
    there = there && p.device() == device && (!p.grad().defined() || p.grad().device() == device);
  if (there) return;
  for (const td::Tensor& p : model.parameters()) {
    p.set_data(p.to(device, p.dtype(), false, /*copy=*/true));
    td::Tensor& gradient = p.mutable_grad();
    if (gradient.defined()) gradient = gradient.to(device);
  }
}
}  // namespace all_or_nothing

// answer: trained_only
// expect: the frozen weight: expected on sim:0
// Moves what an optimizer trains, and leaves frozen parameters behind.
namespace trained_only {
void move_tree(td::nn::Module& model, td::Device device) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& p : model.parameters()) {
    if (!p.requires_grad()) continue;
    p.set_data(p.to(device));
    td::Tensor& gradient = p.mutable_grad();
    if (gradient.defined()) gradient = gradient.to(device);
  }
}
}  // namespace trained_only

// answer: frozen_gradients_stay
// expect: the gradient of the frozen weight: expected on sim:0
// Moves the gradients that an optimizer would use.
namespace frozen_gradients_stay {
void move_tree(td::nn::Module& model, td::Device device) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& p : model.parameters()) {
    p.set_data(p.to(device));
    td::Tensor& gradient = p.mutable_grad();
    if (p.requires_grad() && gradient.defined()) gradient = gradient.to(device);
  }
}
}  // namespace frozen_gradients_stay

// answer: buffers_there_and_back
// expect: bytes were copied: the buffers must stay
// Calls Module::to, and then gives the buffers the memory that they had.
namespace buffers_there_and_back {
void move_tree(td::nn::Module& model, td::Device device) {
  std::vector<td::Tensor> before;
  for (const td::Tensor& buffer : model.buffers()) before.push_back(buffer.detach());
  model.to(device);
  std::size_t i = 0;
  for (const td::Tensor& buffer : model.buffers()) buffer.set_data(before[i++]);
}
}  // namespace buffers_there_and_back

// answer: does_not_wait
// expect: a parameter that a queued operation was still changing
// Passes non_blocking: towards the host, the call returns before the values have arrived.
namespace does_not_wait {
void move_tree(td::nn::Module& model, td::Device device) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& p : model.parameters()) {
    p.set_data(p.to(device, /*non_blocking=*/true));
    td::Tensor& gradient = p.mutable_grad();
    if (gradient.defined()) gradient = gradient.to(device, /*non_blocking=*/true);
  }
}
}  // namespace does_not_wait

// answer: gradient_requires_grad
// expect: the gradient of tensor 0 requires grad after the move
// Takes the gradient for a parameter.
namespace gradient_requires_grad {
void move_tree(td::nn::Module& model, td::Device device) {
  for (const td::Tensor& parameter : model.parameters()) {
    parameter.set_data(parameter.detach().to(device));
    if (parameter.grad().defined())
      parameter.mutable_grad() = parameter.grad().detach().to(device).requires_grad_();
  }
}
}  // namespace gradient_requires_grad
