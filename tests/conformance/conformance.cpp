// The lines that the programs print, and their formulas; compiled into a library for each build.
// Invariant: this file reads results through nothing but item-wise conversion on the CPU, so that a
// fault of the tensor library under test shows as a difference and not as another reading of it.
#include "conformance.h"

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <limits>

namespace conformance {
namespace {

std::string context;  // NOLINT: what all names begin with

void begin_line(const std::string& name, const char* kind) {
  std::printf("%s%s\t%s\t", context.c_str(), name.c_str(), kind);
}

void print_list(torch::IntArrayRef list) {
  for (std::size_t i = 0; i < list.size(); ++i) std::printf(i ? ",%" PRId64 : "%" PRId64, list[i]);
  std::printf("\t");
}

// %.17g gives back every double, %.9g every float.
void print_double(double value, bool is_double) {
  std::printf(is_double ? "%.17g" : "%.9g", value);
}

void print_values(const Tensor& value) {
  const bool real = value.is_floating_point();
  // A copy, because libtorch has tensors of zeros without memory.
  const Tensor host = torch::empty(value.sizes(), real ? torch::kFloat64 : torch::kInt64);
  host.copy_(value.detach());
  for (std::int64_t i = 0; i < host.numel(); ++i) {
    if (i) std::printf(" ");
    if (real)
      print_double(host.data_ptr<double>()[i], value.scalar_type() == torch::kFloat64);
    else
      std::printf("%" PRId64, host.data_ptr<std::int64_t>()[i]);
  }
}

// One backward through `f`: the gradients of its weighted sum, in the order of the inputs.
Tensors gradients_of(const Tensor& result, const Tensors& inputs, bool create_graph) {
  const Tensor weights = formula(result.sizes(), result.scalar_type(), 1, 0.2, 1.1);
  return torch::autograd::grad({(result * weights).sum()}, inputs, {}, create_graph, create_graph,
                               /*allow_unused=*/true);
}

void print_list_of(const std::string& name, const Tensors& all) {
  for (std::size_t i = 0; i < all.size(); ++i) print(name + std::to_string(i), all[i]);
}

// No gradient at all counts as zeros, and whether a gradient has a graph is not compared where all
// there is to differentiate again is zero: both are the same numbers. Nor is the memory order of
// what autograd::grad returns, which is whatever the last kernel of a chain left; that of x.grad()
// is.
void print_gradients(const std::string& name, const Tensors& gradients, const Tensors& inputs) {
  for (std::size_t i = 0; i < gradients.size(); ++i)
    print(name + std::to_string(i),
          (gradients[i].defined() ? gradients[i].detach() : torch::zeros_like(inputs[i]).detach())
              .contiguous());
}

void report_second_gradients(const std::string& name, const Tensors& gradients,
                             const Tensors& inputs) {
  Tensor sum = torch::zeros({}, inputs[0].scalar_type());
  for (const Tensor& gradient : gradients)
    if (gradient.defined())
      sum = sum + (gradient * formula(gradient.sizes(), gradient.scalar_type(), 1, 0.1, 2.1)).sum();
  const Tensors second = sum.requires_grad()
                             ? torch::autograd::grad({sum}, inputs, {}, false, false, true)
                             : Tensors(inputs.size());
  print_gradients(name, second, inputs);
}

}  // namespace

Context::Context(const std::string& words) : length_before_(context.size()) {
  context += words + ": ";
}
Context::~Context() { context.resize(length_before_); }

void print(const std::string& name, const Tensor& value) {
  begin_line(name, "tensor");
  if (!value.defined()) {
    std::printf("undefined\n");
    return;
  }
  std::printf("%s\t%d\t", type_name(value.scalar_type()).c_str(), int{value.requires_grad()});
  print_list(value.sizes());
  print_list(value.strides());
  print_values(value);
  std::printf("\n");
}
void print(const std::string& name, bool value) {
  begin_line(name, "exact");
  std::printf("%s\n", value ? "true" : "false");
}
void print(const std::string& name, std::int64_t value) {
  begin_line(name, "exact");
  std::printf("%" PRId64 "\n", value);
}
void print(const std::string& name, double value) { print(name, std::vector<double>{value}); }
void print(const std::string& name, const std::string& value) {
  begin_line(name, "exact");
  std::printf("%s\n", value.c_str());
}
void print(const std::string& name, const std::vector<double>& values) {
  begin_line(name, "numbers");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i) std::printf(" ");
    print_double(values[i], false);
  }
  std::printf("\n");
}
void print(const std::string& name, torch::ScalarType value) { print(name, type_name(value)); }
void print(const std::string& name, torch::IntArrayRef value) {
  begin_line(name, "exact");
  print_list(value);
  std::printf("\n");
}
void print(const std::string& name, const Tensors& values) {
  print(name + " count", values.size());
  print_list_of(name + " #", values);
}
void print_thrown(const std::string& name, const std::string& what) {
  begin_line(name, "thrown");
  // Messages of libtorch continue with a trace of the stack, and ours may have several lines.
  std::printf("%s\n", what.substr(0, what.find('\n')).c_str());
}
void print_range(const std::string& name, const Tensor& value, double low, double high) {
  print(name + " dtype", value.scalar_type());
  print(name + " sizes", value.sizes());
  print(name + " strides", value.strides());
  const Tensor wide = value.to(torch::kFloat64);
  print(name + " in range", ((wide >= low) & (wide <= high)).all().item<bool>());
}

void report_gradients(const std::string& name, const TensorFunction& f, const Tensors& inputs,
                      bool second) {
  try {
    Tensors leaves;
    Tensors wanted;
    for (const Tensor& input : inputs) {
      leaves.push_back(input.detach());
      if (input.is_floating_point()) wanted.push_back(leaves.back().requires_grad_(true));
    }
    const Tensor result = f(leaves);
    print(name + " value", result);
    const Tensors gradients = gradients_of(result, wanted, second);
    print_gradients(name + " gradient ", gradients, wanted);
    if (second) report_second_gradients(name + " second ", gradients, wanted);
  } catch (const std::exception& error) {
    print_thrown(name + " threw", error.what());
  }
}

Tensor formula(torch::IntArrayRef sizes, torch::ScalarType type, double scale, double shift,
               double seed) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  std::vector<double> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(seed + 0.7 * static_cast<double>(i)) * scale + shift;
  return torch::from_blob(values.data(), sizes, torch::kFloat64).clone().to(type);
}

Tensor whole(torch::IntArrayRef sizes, std::int64_t below, torch::ScalarType type) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<std::int64_t>(i) * 7 % below;
  return torch::from_blob(values.data(), sizes, torch::kInt64).clone().to(type);
}

void set_weights(torch::nn::Module& module, double scale) {
  torch::NoGradGuard no_grad;
  double seed = 0.1;
  for (Tensor& parameter : module.parameters())
    parameter.copy_(formula(parameter.sizes(), parameter.scalar_type(), scale, 0, seed += 0.9));
}

bool shares_memory(const Tensor& a, const Tensor& b) {
  const auto range = [](const Tensor& x) {
    const auto* first = static_cast<const char*>(x.data_ptr());
    std::int64_t last = 1;
    for (std::int64_t i = 0; i < x.dim(); ++i) last += (x.size(i) - 1) * x.stride(i);
    return std::make_pair(first, first + last * static_cast<std::int64_t>(x.element_size()));
  };
  if (a.numel() == 0 || b.numel() == 0) return false;
  const auto [a_first, a_last] = range(a);
  const auto [b_first, b_last] = range(b);
  return a_first < b_last && b_first < a_last;
}

std::vector<Named> layouts(torch::ScalarType type) {
  // Integers in 0..9 fit every type; floats get fractions and signs.
  const bool real = torch::zeros({}, type).is_floating_point();
  auto make = [&](torch::IntArrayRef sizes) {
    return real ? formula(sizes, type, 2) : whole(sizes, 10, type);
  };
  std::vector<Named> all = {
      {"dense", make({3, 4})},
      {"transposed", make({4, 3}).t()},
      {"steps", make({3, 8}).slice(1, 1, 8, 2)},
      {"expanded", make({4}).expand({3, 4})},
      {"permuted", make({2, 3, 4}).permute({2, 0, 1})},
      {"offset", make({5, 4}).narrow(0, 1, 3)},
      {"empty", make({0, 4})},
      {"no dimension", make({})},
  };
  if (!real) return all;
  const double inf = std::numeric_limits<double>::infinity();
  std::vector<double> edges = {0.0,
                               -0.0,
                               1,
                               -1,
                               0.5,
                               -0.5,
                               1.5,
                               2.5,
                               -2.5,
                               3,
                               inf,
                               -inf,
                               1e-3,
                               100,
                               -100,
                               60,
                               std::numeric_limits<double>::quiet_NaN()};
  const auto count = static_cast<std::int64_t>(edges.size());
  all.push_back(
      {"edges", torch::from_blob(edges.data(), {count}, torch::kFloat64).clone().to(type)});
  return all;
}

const std::vector<NamedType>& all_types() {
  static const std::vector<NamedType> types = {
      {"uint8", torch::kUInt8},     {"int32", torch::kInt32},      {"int64", torch::kInt64},
      {"float16", torch::kFloat16}, {"float32", torch::kFloat32},  {"float64", torch::kFloat64},
      {"bool", torch::kBool},       {"bfloat16", torch::kBFloat16}};
  return types;
}
const std::vector<NamedType>& float_types() {
  static const std::vector<NamedType> types = {{"float32", torch::kFloat32},
                                               {"float64", torch::kFloat64},
                                               {"bfloat16", torch::kBFloat16},
                                               {"float16", torch::kFloat16}};
  return types;
}

std::string type_name(torch::ScalarType type) {
  for (const NamedType& entry : all_types())
    if (entry.type == type) return entry.name;
  return "another type";
}

}  // namespace conformance
