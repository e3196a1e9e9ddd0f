// What the losses with weights register. The header defines the rest.
#include "td/nn/loss.h"

namespace td::nn {

Tensor detail::own_weight(const Tensor& held, const Tensor& of_options) {
  return held.defined() ? held.detach() : of_options;
}

}  // namespace td::nn
