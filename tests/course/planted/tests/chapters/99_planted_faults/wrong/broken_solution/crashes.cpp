// expect: expected 2
// Planted: a crash is no rejection.
#include <csignal>

#include "exercises.h"

int broken_solution(int n) {
  std::raise(SIGKILL);
  return n;
}
