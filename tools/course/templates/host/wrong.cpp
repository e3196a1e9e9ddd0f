#include "exercises.h"

#include <algorithm>

// answer: looks_back_one_step
// expect: EXERCISE_NAME of 31 elements: index 2: expected 31, got 30
// TODO: a typical mistake. This one compares neighbors only, and is right for three elements.
namespace looks_back_one_step {
std::vector<float> EXERCISE_NAME(const std::vector<float>& values) {
  std::vector<float> largest;
  for (std::size_t i = 0; i < values.size(); ++i)
    largest.push_back(i == 0 ? values[0] : std::max(values[i - 1], values[i]));
  return largest;
}
}  // namespace looks_back_one_step

// answer: loses_the_last
// expect: EXERCISE_NAME of 1 3 2: expected 3 elements, got 2
// TODO: a typical mistake. This one ends its loop too early.
namespace loses_the_last {
std::vector<float> EXERCISE_NAME(const std::vector<float>& values) {
  std::vector<float> largest;
  for (std::size_t i = 0; i + 1 < values.size(); ++i)
    largest.push_back(i == 0 ? values[0] : std::max(largest.back(), values[i]));
  return largest;
}
}  // namespace loses_the_last

// answer: starts_at_zero
// expect: EXERCISE_NAME of -5 -7 -2: index 0: expected -5, got 0
// TODO: a typical mistake. This one is right on the example, and wrong for negative numbers.
namespace starts_at_zero {
std::vector<float> EXERCISE_NAME(const std::vector<float>& values) {
  std::vector<float> largest;
  float so_far = 0;
  for (const float value : values) largest.push_back(so_far = std::max(so_far, value));
  return largest;
}
}  // namespace starts_at_zero
