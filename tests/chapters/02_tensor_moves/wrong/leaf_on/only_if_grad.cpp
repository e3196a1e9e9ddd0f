// expect: gradient tracking was off before leaf_on, and is on afterwards
// Turns gradient tracking on and off by hand, and forgets what it was.
#include "exercises.h"

td::Tensor leaf_on(const td::Tensor& values, td::Device device) {
  td::GradMode::set_enabled(false);
  const td::Tensor leaf = values.to(device, false, /*copy=*/true);
  td::GradMode::set_enabled(true);
  return leaf.requires_grad_();
}
