// Linear, ReLU and Sequential: first values, printing and forward.
#include "td/nn/sequential.h"

#include "td/nn/init.h"
#include "td/ops/ops.h"

namespace td::nn {

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

void ReLUImpl::pretty_print(std::ostream& stream) const {
  stream << "ReLU(" << (options.inplace() ? "inplace=True)" : ")");
}
Tensor ReLUImpl::forward(const Tensor& input) {
  return options.inplace() ? Tensor(input).relu_() : td::relu(input);
}

void SequentialImpl::check_not_empty() const {
  TD_CHECK(Error, !modules_.empty(),
           "Cannot call forward() on an empty Sequential; add a module with push_back first");
}

Tensor SequentialImpl::forward(const Tensor& input) {
  check_not_empty();
  Tensor value = input;
  for (const AnyModule& module : modules_) value = module.plain_forward(value);
  return value;
}

}  // namespace td::nn
