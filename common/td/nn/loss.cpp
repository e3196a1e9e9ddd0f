// What the losses with weights register. The header defines the others completely.
#include "td/nn/loss.h"

namespace td::nn {

Tensor detail::own_weight(const Tensor& held, const Tensor& of_options) {
  return held.defined() ? held.detach() : of_options;
}

BCEWithLogitsLossImpl::BCEWithLogitsLossImpl(const BCEWithLogitsLossOptions& options_)
    : options(options_) {
  reset();
}
void BCEWithLogitsLossImpl::reset() {
  weight = register_buffer("weight", detail::own_weight(weight, options.weight()));
  pos_weight = register_buffer("pos_weight", detail::own_weight(pos_weight, options.pos_weight()));
}

}  // namespace td::nn
