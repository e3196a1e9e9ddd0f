#include "exercises.h"

// answer: any_type
// expect: a float16 gradient: an error was expected
// Takes 16-bit gradients, in which small ones become 0 when the scale is taken out.
namespace any_type {
td::Tensor scale_loss(const td::Tensor& loss, float scale) { return loss.to(td::kFloat32) * scale; }

bool unscale(const std::vector<td::Tensor>& parameters, float scale) {
  const td::NoGradGuard no_grad;
  td::Tensor finite;
  for (const td::Tensor& parameter : parameters) {
    td::Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    const td::Tensor here = td::isfinite(gradient).all();
    finite = finite.defined() ? finite & here : here;
    gradient.mul_(1.0 / scale);
  }
  return finite.defined() && !finite.item<bool>();
}
}  // namespace any_type

// answer: asks_every_time
// expect: 20 gradients were read by the host 20 times
// Right, and slow: the host waits for the device at every parameter.
namespace asks_every_time {
td::Tensor scale_loss(const td::Tensor& loss, float scale) { return loss.to(td::kFloat32) * scale; }

bool unscale(const std::vector<td::Tensor>& parameters, float scale) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : parameters)
    if (parameter.grad().defined() && parameter.grad().scalar_type() != td::kFloat32)
      throw td::DtypeError("a gradient is float16");
  bool found = false;
  for (const td::Tensor& parameter : parameters) {
    td::Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    if (!td::isfinite(gradient).all().item<bool>()) found = true;
    gradient.mul_(1.0 / scale);
  }
  return found;
}
}  // namespace asks_every_time

// answer: by_the_sum
// expect: finite gradients were taken for an overflow on cpu
// A sum of large numbers overflows though each of them is finite.
namespace by_the_sum {
td::Tensor scale_loss(const td::Tensor& loss, float scale) { return loss.to(td::kFloat32) * scale; }

bool unscale(const std::vector<td::Tensor>& parameters, float scale) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : parameters)
    if (parameter.grad().defined() && parameter.grad().scalar_type() != td::kFloat32)
      throw td::DtypeError("a gradient is float16");
  td::Tensor finite;
  for (const td::Tensor& parameter : parameters) {
    td::Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    const td::Tensor here = td::isfinite(gradient.sum());
    finite = finite.defined() ? finite & here : here;
    gradient.mul_(1.0 / scale);
  }
  return finite.defined() && !finite.item<bool>();
}
}  // namespace by_the_sum

// answer: changes_the_loss
// expect: the loss after scale_loss
// Multiplies the loss in place.
namespace changes_the_loss {
td::Tensor scale_loss(const td::Tensor& loss, float scale) {
  if (loss.requires_grad()) return loss.to(td::kFloat32) * scale;
  return loss.to(td::kFloat32).mul_(scale);
}

bool unscale(const std::vector<td::Tensor>& parameters, float scale) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& p : parameters)
    if (p.grad().defined() && p.grad().scalar_type() != td::kFloat32)
      throw td::DtypeError(std::string("a gradient is ") + td::dtype_name(p.grad().scalar_type()));
  td::Tensor finite;
  for (const td::Tensor& p : parameters) {
    if (!p.grad().defined()) continue;
    const td::Tensor here = td::isfinite(p.grad()).all();
    finite = finite.defined() ? finite & here : here;
    p.mutable_grad().mul_(1.0 / scale);
  }
  return finite.defined() && !finite.item<bool>();
}
}  // namespace changes_the_loss

// answer: detaches_the_view
// expect: the bucket whose views the gradients are
// Makes a transposed gradient contiguous first, and divides the copy.
namespace detaches_the_view {
td::Tensor scale_loss(const td::Tensor& loss, float scale) { return loss.to(td::kFloat32) * scale; }

bool unscale(const std::vector<td::Tensor>& parameters, float scale) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& p : parameters)
    if (p.grad().defined() && p.grad().scalar_type() != td::kFloat32)
      throw td::DtypeError(std::string("a gradient is ") + td::dtype_name(p.grad().scalar_type()));
  td::Tensor finite;
  for (const td::Tensor& p : parameters) {
    if (!p.grad().defined()) continue;
    td::Tensor flat = p.grad().contiguous();
    const td::Tensor here = td::isfinite(flat).all();
    finite = finite.defined() ? finite & here : here;
    flat.mul_(1.0 / scale);
    p.mutable_grad() = flat;
  }
  return finite.defined() && !finite.item<bool>();
}
}  // namespace detaches_the_view

// answer: in_its_own_type
// expect: the scaled loss: expected
// Multiplies in the type of the loss: 2 * 65536 is infinite in float16.
namespace in_its_own_type {
td::Tensor scale_loss(const td::Tensor& loss, float scale) { return loss * scale; }

bool unscale(const std::vector<td::Tensor>& parameters, float scale) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : parameters)
    if (parameter.grad().defined() && parameter.grad().scalar_type() != td::kFloat32)
      throw td::DtypeError("a gradient is float16");
  td::Tensor finite;
  for (const td::Tensor& parameter : parameters) {
    td::Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    const td::Tensor here = td::isfinite(gradient).all();
    finite = finite.defined() ? finite & here : here;
    gradient.mul_(1.0 / scale);
  }
  return finite.defined() && !finite.item<bool>();
}
}  // namespace in_its_own_type

// answer: largest_is_too_large
// expect: nan in gradient 0 of 3 on cpu was not found
// NaN is not larger than anything: comparing with the largest number finds infinity only.
namespace largest_is_too_large {
td::Tensor scale_loss(const td::Tensor& loss, float scale) { return loss.to(td::kFloat32) * scale; }

bool unscale(const std::vector<td::Tensor>& parameters, float scale) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : parameters)
    if (parameter.grad().defined() && parameter.grad().scalar_type() != td::kFloat32)
      throw td::DtypeError("a gradient is float16");
  td::Tensor found;
  for (const td::Tensor& parameter : parameters) {
    td::Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    const td::Tensor here = (gradient.abs() > 3.4028234e38f).any();
    found = found.defined() ? found | here : here;
    gradient.mul_(1.0 / scale);
  }
  return found.defined() && found.item<bool>();
}
}  // namespace largest_is_too_large

// answer: looks_after_multiplying
// expect: with a scale of 0.5
// Looks for inf in the product, which may overflow with a scale below 1.
namespace looks_after_multiplying {
td::Tensor scale_loss(const td::Tensor& loss, float scale) { return loss.to(td::kFloat32) * scale; }

bool unscale(const std::vector<td::Tensor>& parameters, float scale) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : parameters)
    if (parameter.grad().defined() && parameter.grad().scalar_type() != td::kFloat32)
      throw td::DtypeError(std::string("unscale: a gradient is ") +
                           td::dtype_name(parameter.grad().scalar_type()) +
                           "; keep the parameters in float32 and let autocast cast");
  td::Tensor finite;
  for (const td::Tensor& parameter : parameters) {
    td::Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    gradient.mul_(1.0 / scale);
    const td::Tensor here = td::isfinite(gradient).all();
    finite = finite.defined() ? finite & here : here;
  }
  return finite.defined() && !finite.item<bool>();
}
}  // namespace looks_after_multiplying

// answer: never_undone
// expect: the gradient: index 0: expected 2, got 131072
// Looks for overflows and leaves the scale in the gradients.
namespace never_undone {
td::Tensor scale_loss(const td::Tensor& loss, float scale) { return loss.to(td::kFloat32) * scale; }

bool unscale(const std::vector<td::Tensor>& parameters, float) {
  for (const td::Tensor& parameter : parameters)
    if (parameter.grad().defined() && parameter.grad().scalar_type() != td::kFloat32)
      throw td::DtypeError("a gradient is float16");
  td::Tensor finite;
  for (const td::Tensor& parameter : parameters) {
    if (!parameter.grad().defined()) continue;
    const td::Tensor here = td::isfinite(parameter.grad()).all();
    finite = finite.defined() ? finite & here : here;
  }
  return finite.defined() && !finite.item<bool>();
}
}  // namespace never_undone

// answer: new_gradients
// expect: the gradient as a bucket holds it: index 0: expected 1, got 8
// A new tensor instead of the gradient: a holder of the old one sees the scale.
namespace new_gradients {
td::Tensor scale_loss(const td::Tensor& loss, float scale) { return loss.to(td::kFloat32) * scale; }

bool unscale(const std::vector<td::Tensor>& parameters, float scale) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : parameters)
    if (parameter.grad().defined() && parameter.grad().scalar_type() != td::kFloat32)
      throw td::DtypeError("a gradient is float16");
  td::Tensor finite;
  for (const td::Tensor& parameter : parameters) {
    if (!parameter.grad().defined()) continue;
    parameter.mutable_grad() = parameter.grad() / scale;
    const td::Tensor here = td::isfinite(parameter.grad()).all();
    finite = finite.defined() ? finite & here : here;
  }
  return finite.defined() && !finite.item<bool>();
}
}  // namespace new_gradients

// answer: only_float16_is_rejected
// expect: a float64 gradient
// Rejects the 16-bit types only.
namespace only_float16_is_rejected {
td::Tensor scale_loss(const td::Tensor& loss, float scale) { return loss.to(td::kFloat32) * scale; }

bool unscale(const std::vector<td::Tensor>& parameters, float scale) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& p : parameters)
    if (p.grad().defined() && td::element_size(p.grad().scalar_type()) == 2)
      throw td::DtypeError(std::string("a gradient is ") + td::dtype_name(p.grad().scalar_type()));
  td::Tensor finite;
  for (const td::Tensor& p : parameters) {
    if (!p.grad().defined()) continue;
    const td::Tensor here = td::isfinite(p.grad()).all();
    finite = finite.defined() ? finite & here : here;
    p.mutable_grad().mul_(1.0 / scale);
  }
  return finite.defined() && !finite.item<bool>();
}
}  // namespace only_float16_is_rejected

// answer: the_last_one_wins
// expect: inf in gradient 0 of 3 on cpu was not found
// Each gradient overwrites the result of the one before. Right with one parameter.
namespace the_last_one_wins {
td::Tensor scale_loss(const td::Tensor& loss, float scale) { return loss.to(td::kFloat32) * scale; }

bool unscale(const std::vector<td::Tensor>& parameters, float scale) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : parameters)
    if (parameter.grad().defined() && parameter.grad().scalar_type() != td::kFloat32)
      throw td::DtypeError("a gradient is float16");
  td::Tensor finite;
  for (const td::Tensor& parameter : parameters) {
    td::Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    finite = td::isfinite(gradient).all();
    gradient.mul_(1.0 / scale);
  }
  return finite.defined() && !finite.item<bool>();
}
}  // namespace the_last_one_wins

// answer: stops_at_the_overflow
// expect: gradient 0 must be multiplied by 1/8, as every gradient: its element 0
// Finds the overflow first, and leaves all gradients scaled if there is one.
namespace stops_at_the_overflow {
td::Tensor scale_loss(const td::Tensor& loss, float scale) { return loss.to(td::kFloat32) * scale; }

bool unscale(const std::vector<td::Tensor>& parameters, float scale) {
  const td::NoGradGuard no_grad;
  td::Tensor finite;
  for (const td::Tensor& parameter : parameters) {
    if (!parameter.grad().defined()) continue;
    if (parameter.grad().scalar_type() != td::kFloat32)
      throw td::DtypeError(td::dtype_name(parameter.grad().scalar_type()));
    const td::Tensor here = td::isfinite(parameter.grad()).all();
    finite = finite.defined() ? finite & here : here;
  }
  if (finite.defined() && !finite.item<bool>()) return true;
  for (const td::Tensor& parameter : parameters)
    if (parameter.grad().defined()) parameter.mutable_grad().mul_(1.0 / scale);
  return false;
}
}  // namespace stops_at_the_overflow

// answer: type_of_the_parameters
// expect: a float16 parameter without a gradient is left as it is
// Looks at the types of the parameters, also of those without a gradient.
namespace type_of_the_parameters {
td::Tensor scale_loss(const td::Tensor& loss, float scale) { return loss.to(td::kFloat32) * scale; }

bool unscale(const std::vector<td::Tensor>& parameters, float scale) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : parameters)
    if (parameter.scalar_type() != td::kFloat32)
      throw td::DtypeError(std::string("unscale: ") + td::dtype_name(parameter.scalar_type()));
  td::Tensor finite;
  for (const td::Tensor& parameter : parameters) {
    td::Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    const td::Tensor here = td::isfinite(gradient).all();
    finite = finite.defined() ? finite & here : here;
    gradient.mul_(1.0 / scale);
  }
  return finite.defined() && !finite.item<bool>();
}
}  // namespace type_of_the_parameters
