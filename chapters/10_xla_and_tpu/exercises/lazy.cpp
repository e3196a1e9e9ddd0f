// lazy_sync: exercise 10.lazy, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

void lazy_sync(lazy::Session& session, const std::vector<lazy::Tensor>& results) {
  // Your code here: A line for each node that is needed; look up or compile; run. About 24 lines.
  td::not_done_yet("lazy");
}
