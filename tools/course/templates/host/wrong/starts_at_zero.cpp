// expect: EXERCISE_NAME of -5 -7 -2: index 0: expected -5, got 0
// TODO: a typical mistake. This one is right on the example, and wrong for negative numbers.
#include <algorithm>

#include "exercises.h"

std::vector<float> EXERCISE_NAME(const std::vector<float>& values) {
  std::vector<float> largest;
  float so_far = 0;
  for (const float value : values) largest.push_back(so_far = std::max(so_far, value));
  return largest;
}
