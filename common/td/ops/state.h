// States: what an object needs to continue later, as tensors by name. Modules, optimizers,
// schedules, samplers and loaders save and load them; files store them. Invariant: a state may come
// from anywhere, so numbers in it are checked before they are used.
#pragma once

#include "td/base/ordered_dict.h"
#include "td/ops/ops.h"

namespace td {

/// Tensors by name, in order.
using NamedTensors = OrderedDict<std::string, Tensor>;

/// An integer as an entry of a state: a 0-dimensional int64 tensor.
inline Tensor number_entry(std::int64_t number) { return full({}, number, kLong); }
/// The number `name` of a state, which must be of type T. @throws Error when it is not there or is
/// anything else.
template <class T = std::int64_t>
T number_in(const NamedTensors& state, const std::string& name) {
  constexpr ScalarType dtype = scalar_type_of<T>();
  const Tensor& tensor = state[name];
  TD_CHECK(Error, tensor.dtype() == dtype && tensor.dim() == 0, "load_state_dict: \"", name,
           "\" is ", tensor.dtype(), ' ', tensor.sizes(), " in the state; expected one ", dtype);
  return tensor.item<T>();
}

/// Writes a line to `problems` for each thing in which the entry `name`, a `value`, differs from
/// the expected sizes and type.
inline void check_entry(const std::string& name, const Tensor& value, IntArrayRef sizes,
                        ScalarType dtype, std::ostream& problems) {
  if (value.sizes() != sizes)
    problems << "\n  size differs: \"" << name << "\" is " << sizes << " here but " << value.sizes()
             << " in the state";
  if (value.dtype() != dtype)
    problems << "\n  dtype differs: \"" << name << "\" is " << dtype << " here but "
             << value.dtype() << " in the state";
}

}  // namespace td
