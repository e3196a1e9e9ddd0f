// What layers with a weight and a bias share: making them and giving them first values.
// Private to nn/.
#pragma once

#include <cmath>

#include "td/nn/init.h"
#include "td/nn/module.h"
#include "td/nn/shared_clone.h"

namespace td::nn {

/// True or False, as Python prints it.
inline const char* python(bool value) { return value ? "True" : "False"; }

/// Registers a parameter with memory but no values yet, or one that is left out.
inline Tensor parameter(Module& module, const char* name, bool wanted, IntArrayRef sizes) {
  return module.register_parameter(name, wanted ? empty(sizes) : Tensor());
}

/// libtorch's default: both uniform within 1 / sqrt(fan in), which for the weight is
/// kaiming_uniform_ with a = sqrt(5).
inline void reset_weight_and_bias(const Tensor& weight, const Tensor& bias) {
  if (sharing_clones()) return;  // both are about to become others
  init::kaiming_uniform_(weight, std::sqrt(5.0));
  if (!bias.defined()) return;
  const std::int64_t fan_in = init::fan_in_and_out(weight).first;
  const double bound = fan_in > 0 ? 1 / std::sqrt(static_cast<double>(fan_in)) : 0;
  init::uniform_(bias, -bound, bound);
}

}  // namespace td::nn
