// expect: the norm: index 0: expected 5, got 0.99999
// Returns the norm after the limit, which says nothing about the step.
#include "exercises.h"

double clip_scaled(const std::vector<td::Tensor>& parameters, float scale, double max_norm) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : parameters)
    if (parameter.grad().defined()) parameter.mutable_grad().mul_(1.0 / scale);
  td::nn::utils::clip_grad_norm_(parameters, max_norm);
  return td::nn::utils::clip_grad_norm_(parameters, max_norm);
}
