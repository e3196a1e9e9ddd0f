#include "exercises.h"

// answer: by_the_options
// Fills in the index by hand, and checks with the options of an empty tensor.
namespace by_the_options {
td::Tensor move_to(const td::Tensor& x, td::Device device) {
  const td::Device target = device.is_cpu() || device.has_index()
                                ? td::check_device(device)
                                : td::Device(device.type(), td::current_device(device.type()));
  td::Tensor result = x;
  if (!(target == x.device())) {
    result = td::empty_like(x, td::device(target).dtype(x.dtype()));
    result.copy_(x);
  }
  return result;
}
}  // namespace by_the_options
