// Right; its tests are too weak.
#include <stdexcept>

#include "exercises.h"
#include "td/exercise.h"

int weak_tests(int n) {
  // blank: Refuse what is negative.
  if (n < 0) throw std::invalid_argument("negative");
  return n;
  // end
}
