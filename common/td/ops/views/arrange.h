// Operations that put elements in another order, run along them, or leave some out. Part of ops.h.
#pragma once

#include <tuple>

#include "td/tensor/tensor.h"

namespace td {

/// @name Order. NaN counts as the largest number; equal elements keep their order
/// @{
/// (values, places) along `dim`.
std::tuple<Tensor, Tensor> sort(const Tensor& input, std::int64_t dim = -1,
                                bool descending = false);
/// The same; `stable` is libtorch's wish to keep the order of equal elements, which is kept anyway.
std::tuple<Tensor, Tensor> sort(const Tensor& input, optional<bool> stable, std::int64_t dim = -1,
                                bool descending = false);
/// The places that sort() gives.
Tensor argsort(const Tensor& input, std::int64_t dim = -1, bool descending = false);
/// (values, places) of the k largest or smallest elements along `dim`, in order.
/// `sorted`: libtorch may leave the k in any order when false; here they are in order.
std::tuple<Tensor, Tensor> topk(const Tensor& input, std::int64_t k, std::int64_t dim = -1,
                                bool largest = true, bool sorted = true);
/// @}

/// @name Running along a dimension; whole numbers and bool add up as int64
/// @{
Tensor cumsum(const Tensor& input, std::int64_t dim, optional<ScalarType> dtype = nullopt);
/// Running product. Its gradient is right where elements are 0, too.
Tensor cumprod(const Tensor& input, std::int64_t dim, optional<ScalarType> dtype = nullopt);
/// @}

/// @name The same elements at other places, or without some
/// @{
/// Elements in opposite order along `dims`.
Tensor flip(const Tensor& input, IntArrayRef dims);
/// Elements moved on by shifts[i] places along dims[i]; what leaves at one end comes in at the
/// other. Without `dims`, along the flattened tensor.
Tensor roll(const Tensor& input, IntArrayRef shifts, IntArrayRef dims = {});
/// The last two dimensions with zeros above (tril) or below (triu) the diagonal; diagonal 1 is the
/// one to its upper right.
Tensor tril(const Tensor& input, std::int64_t diagonal = 0);
Tensor triu(const Tensor& input, std::int64_t diagonal = 0);
/// A vector as the diagonal of a matrix of zeros; of a matrix, its diagonal (a copy).
Tensor diag(const Tensor& input, std::int64_t diagonal = 0);
/// @}

}  // namespace td
