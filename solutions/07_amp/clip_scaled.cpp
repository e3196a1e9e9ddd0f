// clip_scaled: exercise 7.clip_scaled, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

double clip_scaled(const std::vector<td::Tensor>& parameters, float scale, double max_norm) {
  // blank: First the scale, then the limit. About 5 lines.
  const td::NoGradGuard no_grad;
  for (const td::Tensor& parameter : parameters)
    if (parameter.grad().defined()) parameter.mutable_grad().mul_(1.0 / scale);
  return td::nn::utils::clip_grad_norm_(parameters, max_norm);
  // end
}
