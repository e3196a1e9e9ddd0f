// Linear: parameters, first values, printing and forward. Its constructors are here because a file
// that could make a module would also compile how it is cloned.
#include "td/nn/linear.h"

#include "td/nn/init.h"
#include "td/ops/ops.h"

namespace td::nn {

LinearImpl::LinearImpl(std::int64_t in_features, std::int64_t out_features)
    : LinearImpl(LinearOptions(in_features, out_features)) {}
LinearImpl::LinearImpl(const LinearOptions& options_) : options(options_) { reset(); }
void LinearImpl::reset() {
  const std::int64_t in = options.in_features(), out = options.out_features();
  weight = register_parameter("weight", empty({out, in}));
  bias = register_parameter("bias", options.bias() ? empty({out}) : Tensor());
  reset_parameters();
}
void LinearImpl::reset_parameters() { init::uniform_by_inputs_(weight, bias); }
void LinearImpl::pretty_print(std::ostream& stream) const {
  stream << "Linear(in_features=" << options.in_features()
         << ", out_features=" << options.out_features()
         << ", bias=" << (options.bias() ? "True)" : "False)");
}
Tensor LinearImpl::forward(const Tensor& input) { return td::linear(input, weight, bias); }

}  // namespace td::nn
