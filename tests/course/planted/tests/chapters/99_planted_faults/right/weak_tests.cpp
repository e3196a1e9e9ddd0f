#include "exercises.h"

// answer: is_wrong
// Called right, but its test refuses it.
namespace is_wrong {
int weak_tests(int n) { return n; }
}  // namespace is_wrong
