// move_to: exercise 2.move_to, declared in exercises.h.
#include "exercises.h"
#include "td/exercise.h"

td::Tensor move_to(const td::Tensor& x, td::Device device) {
  // blank: Fill in the index, compare, and only then copy. About 4 lines.
  const td::Device target = td::check_device(device);
  if (x.device() == target) return x;
  td::Tensor moved = td::empty(x.sizes(), x.options().device(target));
  return moved.copy_(x);
  // end
}
