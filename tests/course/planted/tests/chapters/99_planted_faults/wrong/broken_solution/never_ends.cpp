// expect: expected 2
// Planted: a hang is no rejection either.
#include <unistd.h>

#include "exercises.h"

int broken_solution(int n) {
  while (true) pause();
  return n;
}
