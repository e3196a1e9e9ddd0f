#include "exercises.h"

// answer: another_tensor
// expect: the parameter of 1 elements on cpu: index 0
// The new value goes into a handle of this function's own; the model keeps the old one.
namespace another_tensor {
void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum) {
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    td::Tensor p = parameters[i];
    if (!p.grad().defined()) continue;
    velocity[i] = velocity[i].defined() ? velocity[i] * momentum + p.grad() : p.grad().clone();
    p = p - velocity[i] * lr;
  }
}
}  // namespace another_tensor

// answer: coasts
// expect: parameter 0, which has a velocity but no gradient
// A parameter without a gradient continues with its velocity.
namespace coasts {
void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum) {
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    td::Tensor p = parameters[i];
    if (p.grad().defined())
      velocity[i] = velocity[i].defined() ? velocity[i] * momentum + p.grad() : p.grad().clone();
    if (velocity[i].defined()) p.sub_(velocity[i] * lr);
  }
}
}  // namespace coasts

// answer: damped
// expect: the parameter of 1 elements on cpu: index 0
// An exponential average, as in Adam: the gradient is scaled by 1 - momentum.
namespace damped {
void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum) {
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    td::Tensor p = parameters[i];
    if (!p.grad().defined()) continue;
    velocity[i] = velocity[i].defined() ? velocity[i] * momentum + p.grad() * (1 - momentum)
                                        : p.grad().clone();
    p.sub_(velocity[i] * lr);
  }
}
}  // namespace damped

// answer: decays_without_gradient
// expect: velocity 0, whose parameter has no gradient
// Right while every parameter has a gradient.
namespace decays_without_gradient {
void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum) {
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    td::Tensor p = parameters[i];
    if (velocity[i].defined()) velocity[i] = velocity[i] * momentum;
    if (!p.grad().defined()) continue;
    velocity[i] = velocity[i].defined() ? velocity[i] + p.grad() : p.grad().clone();
    p.sub_(velocity[i] * lr);
  }
}
}  // namespace decays_without_gradient

// answer: new_memory
// expect: a view of the parameter on cpu
// The handle is the same, the memory is not: other views keep the old values.
namespace new_memory {
void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum) {
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    td::Tensor p = parameters[i];
    if (!p.grad().defined()) continue;
    velocity[i] = velocity[i].defined() ? velocity[i] * momentum + p.grad() : p.grad().clone();
    p.set_data(p - velocity[i] * lr);
  }
}
}  // namespace new_memory

// answer: no_velocity
// expect: the parameter of 1 elements on cpu: index 0
// Plain SGD. Right at the first step.
namespace no_velocity {
void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double) {
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    td::Tensor p = parameters[i];
    if (!p.grad().defined()) continue;
    velocity[i] = p.grad().clone();
    p.sub_(velocity[i] * lr);
  }
}
}  // namespace no_velocity

// answer: reads_the_norm
// expect: times in one step
// Skips zero gradients: to know that, the host waits for every parameter.
namespace reads_the_norm {
void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum) {
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    td::Tensor p = parameters[i];
    if (!p.grad().defined()) continue;
    if (p.grad().abs().max().item<float>() == 0 && !velocity[i].defined()) continue;
    velocity[i] = velocity[i].defined() ? velocity[i] * momentum + p.grad() : p.grad().clone();
    p.sub_(velocity[i] * lr);
  }
}
}  // namespace reads_the_norm

// answer: shares_the_gradient
// expect: the velocity after the gradient was set to zero: index 0: expected 2, got 0
// Right as long as the program does not call zero_grad: the first velocity is the gradient itself.
namespace shares_the_gradient {
void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum) {
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    td::Tensor p = parameters[i];
    if (!p.grad().defined()) continue;
    velocity[i] = velocity[i].defined() ? velocity[i] * momentum + p.grad() : p.grad();
    p.sub_(velocity[i] * lr);
  }
}
}  // namespace shares_the_gradient

// answer: stops_at_the_first
// expect: velocity 1, whose parameter has a gradient
// Leaves the loop at the first parameter without a gradient.
namespace stops_at_the_first {
void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum) {
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    td::Tensor p = parameters[i];
    if (!p.grad().defined()) return;
    velocity[i] = velocity[i].defined() ? velocity[i] * momentum + p.grad() : p.grad().clone();
    p.sub_(velocity[i] * lr);
  }
}
}  // namespace stops_at_the_first

// answer: uses_up_the_gradient
// expect: the gradient after the step
// Scales the gradient in place.
namespace uses_up_the_gradient {
void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum) {
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    td::Tensor p = parameters[i];
    if (!p.grad().defined()) continue;
    td::Tensor g = p.grad();
    if (velocity[i].defined()) g.add_(velocity[i] * momentum);
    velocity[i] = g.clone();
    p.sub_(velocity[i] * lr);
  }
}
}  // namespace uses_up_the_gradient

// answer: float_velocity
// expect: a parameter of float64 after two steps with the gradient 1/3
// Keeps every velocity in float32.
namespace float_velocity {
void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum) {
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    td::Tensor parameter = parameters[i];
    if (!parameter.grad().defined()) continue;
    if (!velocity[i].defined())
      velocity[i] = td::zeros(parameter.sizes(), td::device(parameter.device()));
    velocity[i].mul_(momentum).add_(parameter.grad().to(td::kFloat32));
    parameter.sub_(velocity[i].to(parameter.dtype()) * lr);
  }
}
}  // namespace float_velocity

// answer: own_momentum
// expect: after two steps with the gradient 1/3 and momentum 0.5
// Writes the usual momentum into the function.
namespace own_momentum {
void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum) {
  if (momentum != 0) momentum = 0.9;
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    td::Tensor parameter = parameters[i];
    const td::Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    velocity[i] = velocity[i].defined() ? velocity[i] * momentum + gradient : gradient.clone();
    parameter.sub_(velocity[i] * lr);
  }
}
}  // namespace own_momentum

// answer: first_step_of_all
// expect: parameter 1 has its first gradient in the second step of parameter 0
// Takes the first step of any parameter for the first step of all.
namespace first_step_of_all {
void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum) {
  const td::NoGradGuard no_grad;
  bool first = true;
  for (const td::Tensor& v : velocity) first = first && !v.defined();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const td::Tensor& p = parameters[i];
    if (!p.grad().defined()) continue;
    velocity[i] = first ? p.grad().clone() : velocity[i] * momentum + p.grad();
    p.sub_(velocity[i] * lr);
  }
}
}  // namespace first_step_of_all

// answer: records_the_velocity
// expect: the velocity requires grad after the first step with a gradient that requires it
// Only the parameter is changed without tracking.
namespace records_the_velocity {
void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const td::Tensor& p = parameters[i];
    if (!p.grad().defined()) continue;
    velocity[i] = velocity[i].defined() ? velocity[i] * momentum + p.grad() : p.grad().clone();
    const td::NoGradGuard no_grad;
    p.sub_(velocity[i] * lr);
  }
}
}  // namespace records_the_velocity

// answer: drops_the_velocity
// expect: velocity 0, whose parameter has no gradient in this step, is undefined after it
// A parameter that skips a step starts from zero again.
namespace drops_the_velocity {
void sgd_momentum(const std::vector<td::Tensor>& parameters, std::vector<td::Tensor>& velocity,
                  double lr, double momentum) {
  const td::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const td::Tensor& p = parameters[i];
    if (!p.grad().defined()) {
      velocity[i] = td::Tensor();
      continue;
    }
    if (!velocity[i].defined()) velocity[i] = td::zeros_like(p);
    velocity[i].mul_(momentum).add_(p.grad());
    p.sub_(velocity[i] * lr);
  }
}
}  // namespace drops_the_velocity
