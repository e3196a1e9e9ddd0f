// Planted: no expectation on the first line.
#include "exercises.h"

int broken_solution(int n) { return n; }
