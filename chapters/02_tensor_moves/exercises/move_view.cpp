// move_view: exercise 2.move_view, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

td::Tensor move_view(const float* data, const std::vector<std::int64_t>& sizes,
                     const std::vector<std::int64_t>& strides, td::Device device) {
  // Your code here: Gather in logical order (recursion is short), then move. About 10 lines.
  td::not_done_yet("move_view");
}
