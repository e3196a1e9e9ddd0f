// The containers that are no templates. Their constructors are here because a file that could make
// a module would also compile how it is cloned.
#include "td/nn/sequential.h"

namespace td::nn {

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
