// What the samplers' state_dict() and load_state_dict() share. Included by samplers' .cpp files.
#pragma once

#include "data/samplers.h"

namespace td::data::samplers {

/// A count as a 0-dimensional int64 tensor.
Tensor count_entry(std::size_t count);
/// The number `name` of a state. @throws Error unless it lies between 0 and `limit`.
std::size_t count_of(const NamedTensors& state, const char* name, std::size_t limit);
/// @throws Error when the state is of a dataset of another size.
void check_size(std::int64_t state, std::size_t here);

}  // namespace td::data::samplers
