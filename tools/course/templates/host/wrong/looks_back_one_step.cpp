// expect: EXERCISE_NAME of 31 elements: index 2: expected 31, got 30
// TODO: a typical mistake. This one compares neighbors only, and is right for three elements.
#include <algorithm>

#include "exercises.h"

std::vector<float> EXERCISE_NAME(const std::vector<float>& values) {
  std::vector<float> largest;
  for (std::size_t i = 0; i < values.size(); ++i)
    largest.push_back(i == 0 ? values[0] : std::max(values[i - 1], values[i]));
  return largest;
}
