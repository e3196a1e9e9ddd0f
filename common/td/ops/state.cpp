// Integers in states.
#include "td/ops/state.h"

#include "td/ops/ops.h"

namespace td {

Tensor number_entry(std::int64_t number) { return full({}, number, kLong); }

std::int64_t number_in(const NamedTensors& state, const std::string& name) {
  const Tensor& tensor = state[name];
  TD_CHECK(Error, tensor.dtype() == kLong && tensor.dim() == 0, "load_state_dict: \"", name,
           "\" is ", tensor.dtype(), ' ', tensor.sizes(), " in the state; expected one int64");
  return tensor.item<std::int64_t>();
}

}  // namespace td
