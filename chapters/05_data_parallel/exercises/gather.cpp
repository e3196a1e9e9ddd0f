// gather: exercise 5.gather, declared in exercises.h.
#include <sstream>

#include "exercises.h"
#include "td/exercise.h"

td::Tensor gather(const std::vector<td::Tensor>& parts, td::Device destination) {
  // Your code here: Check the sizes, bring all parts to the destination, join them. About 10 lines.
  td::not_done_yet("gather");
}
