// time_interleaved: exercise 15.time_interleaved, declared in exercises.h.
#include <algorithm>

#include "exercises.h"
#include "td/exercise.h"

std::vector<std::vector<double>> time_interleaved(const std::vector<Measure>& devices,
                                                  const std::vector<std::int64_t>& sizes,
                                                  int runs) {
  // Your code here: Rounds outside, sizes, then devices; the medians at the end. About 13 lines.
  td::not_done_yet("time_interleaved");
}
