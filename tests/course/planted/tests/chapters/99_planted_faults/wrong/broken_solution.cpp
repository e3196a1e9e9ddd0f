#include "exercises.h"

#include <unistd.h>
#include <csignal>

// answer: crashes
// expect: expected 2
// Planted: a crash is no rejection.
namespace crashes {
int broken_solution(int n) {
  std::raise(SIGKILL);
  return n;
}
}  // namespace crashes

// answer: is_right
// expect: expected 2
// Planted: this one is right, so it passes and the proof must say so.
namespace is_right {
int broken_solution(int n) { return n + 1; }
}  // namespace is_right

// answer: never_ends
// expect: expected 2
// Planted: a hang is no rejection either.
namespace never_ends {
int broken_solution(int n) {
  while (true) pause();
  return n;
}
}  // namespace never_ends

// answer: says_nothing
// Planted: no expectation on the first line.
namespace says_nothing {
int broken_solution(int n) { return n; }
}  // namespace says_nothing

// answer: says_something_else
// expect: a text that is never printed
namespace says_something_else {
int broken_solution(int n) { return n; }
}  // namespace says_something_else
