// master_step: exercise 7.master_step, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

bool master_step(const std::vector<td::Tensor>& model, const std::vector<td::Tensor>& masters,
                 float scale, double lr) {
  // Your code here: Look for inf and NaN first; then update the masters and round them. About 14 lines.
  td::not_done_yet("master_step");
}
