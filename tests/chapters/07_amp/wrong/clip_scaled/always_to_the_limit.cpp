// expect: the gradient below the limit: index 0: expected 0.3, got 0.6
// Small gradients are made larger, up to max_norm.
#include "exercises.h"

double clip_scaled(const std::vector<td::Tensor>& parameters, float scale, double max_norm) {
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : parameters)
    if (parameter.grad().defined()) parameter.mutable_grad().mul_(1.0 / scale);
  const double norm = td::nn::utils::clip_grad_norm_(parameters, max_norm);
  for (const td::Tensor& parameter : parameters)
    if (parameter.grad().defined() && norm < max_norm)
      parameter.mutable_grad().mul_(max_norm / norm);
  return norm;
}
