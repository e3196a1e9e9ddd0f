// States: what an object must remember to go on later, as tensors by name. Modules, optimizers,
// schedules, samplers and loaders give and take them; files hold them. Invariant: a state comes
// from anywhere, so numbers in it are checked before they are used.
#pragma once

#include "td/base/ordered_dict.h"
#include "td/ops/ops.h"

namespace td {

/// Tensors by name, in order.
using NamedTensors = OrderedDict<std::string, Tensor>;

/// An integer as an entry of a state: a 0-dimensional int64 tensor.
inline Tensor number_entry(std::int64_t number) { return full({}, number, kLong); }
/// The integer `name` of a state. @throws Error when it is not there or is anything else.
inline std::int64_t number_in(const NamedTensors& state, const std::string& name) {
  const Tensor& tensor = state[name];
  TD_CHECK(Error, tensor.dtype() == kLong && tensor.dim() == 0, "load_state_dict: \"", name,
           "\" is ", tensor.dtype(), ' ', tensor.sizes(), " in the state; expected one int64");
  return tensor.item<std::int64_t>();
}

}  // namespace td
