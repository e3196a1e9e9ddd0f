// What every program of this folder is written with: it is compiled once with libtorch and once
// with td, and prints one line per result, which compare.py compares. Invariant: both builds run
// the same lines in the same order; an exception is a result as well, so that an error on one side
// does not end the program.
#pragma once

#ifdef CONFORMANCE_WITH_LIBTORCH
#include <torch/torch.h>
#else
#include "td/torch.h"
#endif

#include <functional>
#include <string>
#include <tuple>
#include <vector>

namespace conformance {

using torch::Tensor;
using Tensors = std::vector<Tensor>;

/// Puts words before the names of all results until the end of its scope: `Context here("float32,
/// transposed");`
class Context {
 public:
  explicit Context(const std::string& words);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

 private:
  std::size_t length_before_;
};

/// One result under one name. A tensor is its dtype, whether it requires grad, sizes, strides,
/// values.
void print(const std::string& name, const Tensor& value);
void print(const std::string& name, bool value);
void print(const std::string& name, std::int64_t value);
void print(const std::string& name, double value);
void print(const std::string& name, const std::string& value);
void print(const std::string& name, const std::vector<double>& values);
void print(const std::string& name, torch::ScalarType value);
void print(const std::string& name, torch::IntArrayRef value);
/// That `what` was thrown; the text is printed for the reader and not compared.
void print_thrown(const std::string& name, const std::string& what);
/// Dtype, sizes, and whether all values lie in [low, high]: for random numbers.
void print_range(const std::string& name, const Tensor& value, double low, double high);

inline void print(const std::string& name, const char* value) { print(name, std::string(value)); }
inline void print(const std::string& name, int value) { print(name, std::int64_t{value}); }
inline void print(const std::string& name, std::size_t value) {
  print(name, static_cast<std::int64_t>(value));
}
inline void print(const std::string& name, const std::vector<std::int64_t>& value) {
  print(name, torch::IntArrayRef(value));
}
void print(const std::string& name, const Tensors& values);
template <class... T>
void print(const std::string& name, const std::tuple<T...>& values) {
  int part = 0;
  std::apply(
      [&](const auto&... value) { (print(name + " #" + std::to_string(part++), value), ...); },
      values);
}

/// Prints what `compute` returns, or that it threw.
template <class F>
void report(const std::string& name, F&& compute) {
  try {
    print(name, compute());
  } catch (const std::exception& error) {
    print_thrown(name, error.what());
  }
}
/// Prints whether `act` throws.
template <class F>
void report_throws(const std::string& name, F&& act) {
  try {
    act();
    print(name, "not thrown");
  } catch (const std::exception& error) {
    print_thrown(name, error.what());
  }
}

using TensorFunction = std::function<Tensor(const Tensors&)>;
/// Prints f(inputs), the gradient of a weighted sum of it for every floating point input, and, for
/// `second`, the gradients of those gradients.
void report_gradients(const std::string& name, const TensorFunction& f, const Tensors& inputs,
                      bool second = true);

/// @name Values by formula, the same in both builds
/// @{
/// sin(seed + i * 0.7) * scale + shift at element i.
Tensor formula(torch::IntArrayRef sizes, torch::ScalarType type = torch::kFloat32, double scale = 1,
               double shift = 0, double seed = 0.3);
/// Integers i * 7 % below, so that they look shuffled.
Tensor whole(torch::IntArrayRef sizes, std::int64_t below, torch::ScalarType type = torch::kInt64);
/// Gives every parameter of a module different values by a formula.
void set_weights(torch::nn::Module& module, double scale = 0.3);
/// @}

/// Whether two dense or strided tensors look at overlapping memory.
bool shares_memory(const Tensor& a, const Tensor& b);

struct Named {
  std::string name;
  Tensor tensor;
};
/// Tensors of one type in all memory layouts: dense, transposed, with steps, expanded,
/// with no elements, with no dimensions, and for floats the values at the edges.
std::vector<Named> layouts(torch::ScalarType type);
/// The dtypes with their names.
struct NamedType {
  std::string name;
  torch::ScalarType type;
};
const std::vector<NamedType>& all_types();
const std::vector<NamedType>& float_types();
std::string type_name(torch::ScalarType type);

}  // namespace conformance

/// Prints an expression under its own text; two statements in a row inside one are fine with a
/// lambda.
#define REPORT(...) ::conformance::report(#__VA_ARGS__, [&] { return __VA_ARGS__; })
/// Prints whether an expression throws.
#define REPORT_THROWS(...) \
  ::conformance::report_throws(#__VA_ARGS__, [&] { static_cast<void>(__VA_ARGS__); })
