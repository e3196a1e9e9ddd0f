#include "exercises.h"

// answer: asks_for_every_pair
// expect: combine the answers on the device
// Reads one value per pair.
namespace asks_for_every_pair {
bool master_step(const std::vector<td::Tensor>& model, const std::vector<td::Tensor>& masters,
                 float scale, double lr) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : model) {
    if (!parameter.grad().defined()) continue;
    if (!td::isfinite(parameter.grad()).all().item<bool>()) return false;
  }
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (!model[i].grad().defined()) continue;
    td::Tensor master = masters[i], parameter = model[i];
    master.sub_(model[i].grad().to(td::kFloat32) * (lr / scale));
    parameter.copy_(master);
  }
  return true;
}
}  // namespace asks_for_every_pair

// answer: changes_the_gradient
// expect: the master after step 2
// Divides the gradient in place.
namespace changes_the_gradient {
bool master_step(const std::vector<td::Tensor>& model, const std::vector<td::Tensor>& masters,
                 float scale, double lr) {
  const td::NoGradGuard no_grad;
  td::Tensor finite;
  for (const td::Tensor& parameter : model) {
    if (!parameter.grad().defined()) continue;
    const td::Tensor here = td::isfinite(parameter.grad()).all();
    finite = finite.defined() ? finite & here : here;
  }
  if (finite.defined() && !finite.item<bool>()) return false;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (!model[i].grad().defined()) continue;
    td::Tensor master = masters[i], parameter = model[i];
    master.sub_(model[i].grad().to(td::kFloat32) * (lr / scale));
    model[i].mutable_grad().mul_(0.5);
    parameter.copy_(master);
  }
  return true;
}
}  // namespace changes_the_gradient

// answer: copies_all_masters
// expect: the parameter without a gradient
// Copies the master also where there is no gradient.
namespace copies_all_masters {
bool master_step(const std::vector<td::Tensor>& model, const std::vector<td::Tensor>& masters,
                 float scale, double lr) {
  const td::NoGradGuard no_grad;
  td::Tensor finite;
  for (const td::Tensor& parameter : model) {
    if (!parameter.grad().defined()) continue;
    const td::Tensor here = td::isfinite(parameter.grad()).all();
    finite = finite.defined() ? finite & here : here;
  }
  if (finite.defined() && !finite.item<bool>()) return false;
  for (std::size_t i = 0; i < model.size(); ++i) {
    td::Tensor master = masters[i], parameter = model[i];
    if (model[i].grad().defined()) master.sub_(model[i].grad().to(td::kFloat32) * (lr / scale));
    parameter.copy_(master);
  }
  return true;
}
}  // namespace copies_all_masters

// answer: divides_in_16_bits
// expect: gradient 2^-10
// Divides before it converts to float32.
namespace divides_in_16_bits {
bool master_step(const std::vector<td::Tensor>& model, const std::vector<td::Tensor>& masters,
                 float scale, double lr) {
  const td::NoGradGuard no_grad;
  td::Tensor finite;
  for (const td::Tensor& parameter : model) {
    if (!parameter.grad().defined()) continue;
    const td::Tensor here = td::isfinite(parameter.grad()).all();
    finite = finite.defined() ? finite & here : here;
  }
  if (finite.defined() && !finite.item<bool>()) return false;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (!model[i].grad().defined()) continue;
    td::Tensor master = masters[i], parameter = model[i];
    master.sub_((model[i].grad() / scale).to(td::kFloat32) * lr);
    parameter.copy_(master);
  }
  return true;
}
}  // namespace divides_in_16_bits

// answer: forgets_the_scale
// expect: master
// Leaves the scale in the gradient.
namespace forgets_the_scale {
bool master_step(const std::vector<td::Tensor>& model, const std::vector<td::Tensor>& masters,
                 float, double lr) {
  const td::NoGradGuard no_grad;
  td::Tensor finite;
  for (const td::Tensor& parameter : model) {
    if (!parameter.grad().defined()) continue;
    const td::Tensor here = td::isfinite(parameter.grad()).all();
    finite = finite.defined() ? finite & here : here;
  }
  if (finite.defined() && !finite.item<bool>()) return false;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (!model[i].grad().defined()) continue;
    td::Tensor master = masters[i], parameter = model[i];
    master.sub_(model[i].grad().to(td::kFloat32) * lr);
    parameter.copy_(master);
  }
  return true;
}
}  // namespace forgets_the_scale

// answer: half_a_step
// expect: must not change
// Stops at the first gradient with an overflow, after other pairs changed.
namespace half_a_step {
bool master_step(const std::vector<td::Tensor>& model, const std::vector<td::Tensor>& masters,
                 float scale, double lr) {
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (!model[i].grad().defined()) continue;
    if (!td::isfinite(model[i].grad()).all().item<bool>()) return false;
    td::Tensor master = masters[i], parameter = model[i];
    master.sub_(model[i].grad().to(td::kFloat32) * (lr / scale));
    parameter.copy_(master);
  }
  return true;
}
}  // namespace half_a_step

// answer: last_gradient_decides
// expect: the step was reported as made
// Keeps only the answer of the last gradient.
namespace last_gradient_decides {
bool master_step(const std::vector<td::Tensor>& model, const std::vector<td::Tensor>& masters,
                 float scale, double lr) {
  const td::NoGradGuard no_grad;
  td::Tensor finite;
  for (const td::Tensor& parameter : model) {
    if (!parameter.grad().defined()) continue;
    const td::Tensor here = td::isfinite(parameter.grad()).all();
    finite = here;
  }
  if (finite.defined() && !finite.item<bool>()) return false;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (!model[i].grad().defined()) continue;
    td::Tensor master = masters[i], parameter = model[i];
    master.sub_(model[i].grad().to(td::kFloat32) * (lr / scale));
    parameter.copy_(master);
  }
  return true;
}
}  // namespace last_gradient_decides

// answer: new_memory
// expect: the memory that the parameter is a view of
// Gives the parameter new memory.
namespace new_memory {
bool master_step(const std::vector<td::Tensor>& model, const std::vector<td::Tensor>& masters,
                 float scale, double lr) {
  const td::NoGradGuard no_grad;
  td::Tensor finite;
  for (const td::Tensor& parameter : model) {
    if (!parameter.grad().defined()) continue;
    const td::Tensor here = td::isfinite(parameter.grad()).all();
    finite = finite.defined() ? finite & here : here;
  }
  if (finite.defined() && !finite.item<bool>()) return false;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (!model[i].grad().defined()) continue;
    td::Tensor master = masters[i], parameter = model[i];
    master.sub_(model[i].grad().to(td::kFloat32) * (lr / scale));
    parameter.set_data(master.to(parameter.scalar_type()));
  }
  return true;
}
}  // namespace new_memory

// answer: no_master
// expect: the master after step 1
// Updates the 16-bit weight itself.
namespace no_master {
bool master_step(const std::vector<td::Tensor>& model, const std::vector<td::Tensor>& masters,
                 float scale, double lr) {
  const td::NoGradGuard no_grad;
  td::Tensor finite;
  for (const td::Tensor& parameter : model) {
    if (!parameter.grad().defined()) continue;
    const td::Tensor here = td::isfinite(parameter.grad()).all();
    finite = finite.defined() ? finite & here : here;
  }
  if (finite.defined() && !finite.item<bool>()) return false;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (!model[i].grad().defined()) continue;
    td::Tensor master = masters[i], parameter = model[i];
    parameter.sub_(model[i].grad() * (lr / scale));
    (void)master;
  }
  return true;
}
}  // namespace no_master

// answer: sum_overflows
// expect: finite gradients were taken for an overflow
// Looks at the sum of the gradient in 16 bits.
namespace sum_overflows {
bool master_step(const std::vector<td::Tensor>& model, const std::vector<td::Tensor>& masters,
                 float scale, double lr) {
  const td::NoGradGuard no_grad;
  td::Tensor finite;
  for (const td::Tensor& parameter : model) {
    if (!parameter.grad().defined()) continue;
    const td::Tensor here = td::isfinite(parameter.grad().sum());
    finite = finite.defined() ? finite & here : here;
  }
  if (finite.defined() && !finite.item<bool>()) return false;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (!model[i].grad().defined()) continue;
    td::Tensor master = masters[i], parameter = model[i];
    master.sub_(model[i].grad().to(td::kFloat32) * (lr / scale));
    parameter.copy_(master);
  }
  return true;
}
}  // namespace sum_overflows

// answer: weights_never_follow
// expect: the weight, which is the rounded master
// Updates the masters only.
namespace weights_never_follow {
bool master_step(const std::vector<td::Tensor>& model, const std::vector<td::Tensor>& masters,
                 float scale, double lr) {
  const td::NoGradGuard no_grad;
  td::Tensor finite;
  for (const td::Tensor& parameter : model) {
    if (!parameter.grad().defined()) continue;
    const td::Tensor here = td::isfinite(parameter.grad()).all();
    finite = finite.defined() ? finite & here : here;
  }
  if (finite.defined() && !finite.item<bool>()) return false;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (!model[i].grad().defined()) continue;
    td::Tensor master = masters[i], parameter = model[i];
    master.sub_(model[i].grad().to(td::kFloat32) * (lr / scale));
    (void)parameter;
  }
  return true;
}
}  // namespace weights_never_follow

// answer: sum_of_squares
// expect: scale 1024, lr 0.001: finite gradients were taken for an overflow
// Looks at the sum of the squares in float32, which large finite gradients exceed.
namespace sum_of_squares {
bool master_step(const std::vector<td::Tensor>& model, const std::vector<td::Tensor>& masters,
                 float scale, double lr) {
  const td::NoGradGuard no_grad;
  td::Tensor sum;
  for (const td::Tensor& parameter : model) {
    if (!parameter.grad().defined()) continue;
    const td::Tensor here = parameter.grad().to(td::kFloat32).square().sum();
    sum = sum.defined() ? sum + here : here;
  }
  if (sum.defined() && !td::isfinite(sum).item<bool>()) return false;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (!model[i].grad().defined()) continue;
    td::Tensor master = masters[i], parameter = model[i];
    master.sub_(model[i].grad().to(td::kFloat32) * (lr / scale));
    parameter.copy_(master);
  }
  return true;
}
}  // namespace sum_of_squares

// answer: looks_at_the_new_masters
// expect: both are finite, and the step was not made; look at the gradients
// Looks for infinity in what the masters would become.
namespace looks_at_the_new_masters {
bool master_step(const std::vector<td::Tensor>& model, const std::vector<td::Tensor>& masters,
                 float scale, double lr) {
  const td::NoGradGuard no_grad;
  td::TensorList next(model.size());
  td::Tensor finite;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (!model[i].grad().defined()) continue;
    next[i] = masters[i] - model[i].grad().to(td::kFloat32) * (lr / scale);
    const td::Tensor here = td::isfinite(next[i]).all();
    finite = finite.defined() ? finite & here : here;
  }
  if (finite.defined() && !finite.item<bool>()) return false;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (!next[i].defined()) continue;
    td::Tensor master = masters[i], parameter = model[i];
    master.copy_(next[i]);
    parameter.copy_(next[i]);
  }
  return true;
}
}  // namespace looks_at_the_new_masters
