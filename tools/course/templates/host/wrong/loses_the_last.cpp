// expect: EXERCISE_NAME of 1 3 2: expected 3 elements, got 2
// TODO: a typical mistake. This one ends its loop too early.
#include <algorithm>

#include "exercises.h"

std::vector<float> EXERCISE_NAME(const std::vector<float>& values) {
  std::vector<float> largest;
  for (std::size_t i = 0; i + 1 < values.size(); ++i)
    largest.push_back(i == 0 ? values[0] : std::max(largest.back(), values[i]));
  return largest;
}
