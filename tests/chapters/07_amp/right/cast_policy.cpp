#include <cmath>

#include "exercises.h"

// answer: element_by_element
// Copies both results to the host and compares them in a loop.
namespace element_by_element {
td::autocast::Policy choose_policy(const Operation& operation,
                                   const std::vector<td::TensorList>& samples, td::ScalarType fast,
                                   double tolerance) {
  const td::NoGradGuard no_grad;
  bool good = true;
  for (td::TensorList arguments : samples) {
    const td::Tensor exact = operation.run(arguments).to(td::kCPU).contiguous();
    for (td::Tensor& argument : arguments)
      if (argument.is_floating_point()) argument = argument.to(fast);
    const td::Tensor tried = operation.run(arguments).to(td::kCPU).to(td::kFloat32).contiguous();
    const float *a = exact.data_ptr<float>(), *b = tried.data_ptr<float>();
    float largest = 0;
    for (std::int64_t i = 0; i < exact.numel(); ++i)
      if (std::isfinite(a[i])) largest = std::max(largest, std::abs(a[i]));
    for (std::int64_t i = 0; i < exact.numel(); ++i) {
      if (!std::isfinite(a[i])) continue;
      const bool close = std::abs(a[i] - b[i]) <= tolerance * largest;
      good = good && close && (a[i] == 0 || b[i] != 0);
    }
  }
  if (!good) return td::autocast::Policy::kFloat;
  return operation.tensor_cores ? td::autocast::Policy::kLowerPrecision
                                : td::autocast::Policy::kUnlisted;
}
}  // namespace element_by_element
