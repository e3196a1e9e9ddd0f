// Which parameters' gradients travel together. The reducer asks when it is made and again when it
// knows the order in which gradients become ready.
#pragma once

#include "td/tensor/tensor.h"

namespace td::distributed {

/// Splits the parameters numbered in `order` into buckets, by PyTorch's rule: a bucket takes
/// parameters until it has at least its limit in bytes, so it may go beyond it; each type and
/// device has buckets of its own. The first bucket of each has a limit of its own, a small one, so
/// that the first all-reduce starts early.
/// @param order numbers of `parameters`, in the order in which their gradients will be ready.
/// @return lists of numbers, in the order in which the buckets will be full.
std::vector<std::vector<std::size_t>> assign_buckets(const TensorList& parameters,
                                                     const std::vector<std::size_t>& order,
                                                     std::size_t first_bytes, std::size_t bytes);

/// The bytes of a tensor's elements.
std::size_t bytes_of(const Tensor& tensor);

}  // namespace td::distributed
