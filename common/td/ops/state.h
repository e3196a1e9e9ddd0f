// States: what an object must remember to go on later, as tensors by name. Modules, optimizers,
// schedules, samplers and loaders give and take them; files hold them. Invariant: a state comes
// from anywhere, so numbers in it are checked before they are used.
#pragma once

#include "td/base/ordered_dict.h"
#include "td/tensor/tensor.h"

namespace td {

/// Tensors by name, in order.
using NamedTensors = OrderedDict<std::string, Tensor>;

/// An integer as an entry of a state: a 0-dimensional int64 tensor.
Tensor number_entry(std::int64_t number);
/// The integer `name` of a state. @throws Error when it is not there or is anything else.
std::int64_t number_in(const NamedTensors& state, const std::string& name);

}  // namespace td
