// Linear, ReLU and Sequential: first values, printing and forward. Their constructors are here
// because a file that could make a module would also compile how it is cloned.
#include "td/nn/sequential.h"

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

void ReLUImpl::pretty_print(std::ostream& stream) const {
  stream << "ReLU(" << (options.inplace() ? "inplace=True)" : ")");
}
Tensor ReLUImpl::forward(const Tensor& input) {
  return options.inplace() ? Tensor(input).relu_() : td::relu(input);
}

FunctionalImpl::FunctionalImpl(Function function) : function_(std::move(function)) {}

SequentialImpl::SequentialImpl() = default;
SequentialImpl::SequentialImpl(std::initializer_list<NamedAnyModule> modules) {
  for (const NamedAnyModule& module : modules) push_back(module.name, module.module);
}

Sequential::Sequential() = default;
Sequential::Sequential(std::initializer_list<NamedAnyModule> modules)
    : ModuleHolder(std::make_shared<SequentialImpl>(modules)) {}

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
