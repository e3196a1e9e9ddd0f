// expect: the result should require grad
// Makes a copy without history, and forgets to mark it.
#include "exercises.h"

td::Tensor leaf_on(const td::Tensor& values, td::Device device) {
  return values.detach().to(device, false, /*copy=*/true);
}
