#include "exercises.h"

// answer: with_if
// An if instead of ?:, and a Device made from its parts.
namespace with_if {
td::Device first_device(int gpus) {
  if (gpus == 0) return td::kCPU;
  return td::Device(td::kCUDA, 0);
}
}  // namespace with_if
