#include "exercises.h"

#include <algorithm>
#include <numeric>

// answer: with_partial_sum
// TODO: a right answer that is written differently from the solution. This one calls the standard
// library, and must pass.
namespace with_partial_sum {
std::vector<float> EXERCISE_NAME(const std::vector<float>& values) {
  std::vector<float> largest(values.size());
  std::partial_sum(values.begin(), values.end(), largest.begin(),
                   [](float a, float b) { return std::max(a, b); });
  return largest;
}
}  // namespace with_partial_sum
