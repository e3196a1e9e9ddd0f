// time_in_turns, fit_cost and crossover: exercise 12.advisor, declared in exercises.h.
#include <algorithm>

#include "exercises.h"
#include "td/exercise.h"

std::vector<std::vector<double>> time_in_turns(const std::vector<Measure>& devices,
                                               const std::vector<std::int64_t>& sizes, int runs) {
  // Your code here: Rounds outside, sizes, then devices; the medians at the end. About 13 lines.
  td::not_done_yet("advisor");
}

Cost fit_cost(const std::vector<std::int64_t>& sizes, const std::vector<double>& seconds) {
  // Your code here: Five sums over 1 / seconds and size / seconds; two equations. About 11 lines.
  td::not_done_yet("advisor");
}

Crossover crossover(const Cost& host, const Cost& device, double from, double to) {
  // Your code here: Who is faster at each end? Divide only if they differ. About 6 lines.
  td::not_done_yet("advisor");
}
