// The operation suite. An operation gives a sample: how it is called, some arguments, and an
// independent reference; `check_operation` then tests, on every device there is:
//   the result in each dtype, from strided arguments, from empty ones; each argument on the wrong
//   device; the gradient, and the gradient's gradient, against finite differences.
// Used by the suite_*_test.cpp files. Invariant: a reference sees only Arrays of doubles.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "td/ops/ops.h"

namespace suite {

/// A dense row-major array on the host: all that a reference knows.
struct Array {
  std::vector<std::int64_t> sizes;
  std::vector<double> values;
  std::int64_t size(std::size_t dim) const { return sizes[dim]; }
};

using Function = std::function<td::Tensor(const td::TensorList&)>;
using Reference = std::function<Array(const std::vector<Array>&)>;

struct Sample {
  std::string name;  ///< as it is in error messages
  /// Names of the arguments, as they stand in error messages.
  std::vector<std::string> arguments;
  /// Values of the arguments: float64 ones take part in dtypes and gradients, others are indices,
  /// classes or masks and stay as they are.
  td::TensorList inputs;
  Function run;
  Reference expected;
  /// Arguments without elements; none: there is no such case.
  td::TensorList empty = {};
  std::vector<td::ScalarType> types = {td::kDouble, td::kFloat, td::kHalf, td::kBFloat16};
  bool gradient = true;
  /// The dtype of the result when it is not that of the arguments.
  td::optional<td::ScalarType> result = td::nullopt;
  /// Which arguments are constants: no gradient flows to them.
  std::vector<std::size_t> constants = {};
};

/// All checks of one sample.
void check_operation(const Sample& sample);

/// `count` different numbers between low and high, in no order, away from whole and half numbers
/// (where some functions have no gradient). @param seed another seed, other numbers.
td::Tensor spread(td::IntArrayRef sizes, double low = -2, double high = 2, unsigned seed = 1);
/// A tensor's values on the host.
Array read(const td::Tensor& tensor);

/// One result for each group of elements along `dims`, folded in row-major order.
Array fold(const Array& x, const std::vector<std::size_t>& dims, bool keepdim,
           const std::function<double(const std::vector<double>&)>& combine);
/// f of every element.
Array each(const Array& x, const std::function<double(double)>& f);
/// f of the elements of both, whose sizes broadcast.
Array each(const Array& a, const Array& b, const std::function<double(double, double)>& f);

}  // namespace suite
