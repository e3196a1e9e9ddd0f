// Which parameters a forward has not used, read from its graph. The reducer asks when
// find_unused_parameters is on.
#pragma once

#include "td/tensor/tensor.h"

namespace td::distributed {

/// The parameters, by number, that none of `outputs` depends on.
std::vector<std::size_t> unreached_parameters(const TensorList& parameters,
                                              const TensorList& outputs);

}  // namespace td::distributed
