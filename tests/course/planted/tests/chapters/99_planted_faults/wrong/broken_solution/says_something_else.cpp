// expect: a text that is never printed
#include "exercises.h"

int broken_solution(int n) { return n; }
