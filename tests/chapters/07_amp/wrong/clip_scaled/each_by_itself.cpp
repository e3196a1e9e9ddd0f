// expect: the norm before the limit of 1 and 5 elements on cpu
// Every gradient gets a limit and a factor of its own. Right with one parameter.
#include "exercises.h"

double clip_scaled(const std::vector<td::Tensor>& parameters, float scale, double max_norm) {
  const td::NoGradGuard no_grad;
  double largest = 0;
  for (const td::Tensor& parameter : parameters) {
    if (!parameter.grad().defined()) continue;
    parameter.mutable_grad().mul_(1.0 / scale);
    const double norm = td::nn::utils::clip_grad_norm_(parameter, max_norm);
    if (!(norm <= largest)) largest = norm;
  }
  return largest;
}
