// Called right, but its test refuses it.
#include "exercises.h"

int weak_tests(int n) { return n; }
