// expect: the norm: index 0: expected 5, got 5120
// Limits the scaled gradients to max_norm, and then divides: they end up 1024 times too small.
#include "exercises.h"

double clip_scaled(const std::vector<td::Tensor>& parameters, float scale, double max_norm) {
  const td::NoGradGuard no_grad;
  const double norm = td::nn::utils::clip_grad_norm_(parameters, max_norm);
  for (const td::Tensor& parameter : parameters)
    if (parameter.grad().defined()) parameter.mutable_grad().mul_(1.0 / scale);
  return norm;
}
