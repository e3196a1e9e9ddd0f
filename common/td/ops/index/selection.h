// What the files on selection share.
#pragma once

#include "td/ops/op.h"

namespace td {

/// `index` as dense int64 on `device`. @throws DtypeError unless it holds whole numbers.
Tensor checked_index(const Op& op, const Tensor& index, Device device);

}  // namespace td
