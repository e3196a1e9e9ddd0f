// The planted fault: n - 1 where n + 1 is asked.
#include "exercises.h"
#include "td/exercise.h"

int broken_solution(int n) {
  // blank: Add one.
  return n - 1;
  // end
}
