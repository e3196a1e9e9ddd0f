// expect: expected 2
// Planted: this one is right, so it passes and the proof must say so.
#include "exercises.h"

int broken_solution(int n) { return n + 1; }
