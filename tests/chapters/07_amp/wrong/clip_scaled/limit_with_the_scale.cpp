// expect: the norm: index 0: expected 5, got inf
// max_norm * scale is a limit for the scaled gradients, but their squares overflow sooner.
#include <cmath>

#include "exercises.h"

double clip_scaled(const std::vector<td::Tensor>& parameters, float scale, double max_norm) {
  const td::NoGradGuard no_grad;
  double squares = 0;
  for (const td::Tensor& parameter : parameters)
    if (parameter.grad().defined())
      squares += double{(parameter.grad() * parameter.grad()).sum().item<float>()};
  const double norm = std::sqrt(squares), limit = max_norm * double{scale};
  const double factor = norm > limit ? limit / norm : 1;
  for (const td::Tensor& parameter : parameters)
    if (parameter.grad().defined()) parameter.mutable_grad().mul_(factor / double{scale});
  return norm / double{scale};
}
