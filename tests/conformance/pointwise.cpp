// Functions of one tensor, element by element: every dtype, every memory layout, values at the
// edges, in place, and gradients twice over.
#include "conformance.h"

using namespace conformance;

namespace {

struct Function {
  const char* name;
  Tensor (*apply)(const Tensor&);
  Tensor (*in_place)(Tensor);
  double shift;  // brings the formula's values into the function's domain for gradients
};

#define FUNCTION(name, shift)                                                                    \
  {                                                                                              \
#name, [](const Tensor& x) { return torch::name(x); },                                       \
                                                        [](Tensor x) { return x.name##_(); },    \
                                                                                           shift \
  }
const std::vector<Function> functions = {
    FUNCTION(sqrt, 3),  FUNCTION(rsqrt, 3),   FUNCTION(reciprocal, 3), FUNCTION(exp, 0),
    FUNCTION(log, 3),   FUNCTION(log1p, 3),   FUNCTION(sin, 0),        FUNCTION(cos, 0),
    FUNCTION(tanh, 0),  FUNCTION(sigmoid, 0), FUNCTION(relu, 0),       FUNCTION(abs, 0),
    FUNCTION(sign, 0),  FUNCTION(floor, 0),   FUNCTION(ceil, 0),       FUNCTION(round, 0),
    FUNCTION(square, 0)};

void values() {
  for (const NamedType& type : all_types())
    for (const Named& input : layouts(type.type)) {
      Context here(type.name + ", " + input.name);
      for (const Function& f : functions) {
        report(f.name, [&] { return f.apply(input.tensor); });
        report(std::string(f.name) + "_", [&] { return f.in_place(input.tensor.clone()); });
      }
      REPORT(-input.tensor);
      REPORT(input.tensor.isnan());
      REPORT(input.tensor.isinf());
      REPORT(input.tensor.isfinite());
      REPORT(torch::leaky_relu(input.tensor, 0.2));
      REPORT(torch::gelu(input.tensor));
      REPORT(torch::silu(input.tensor));
    }
}

void gradients() {
  for (const char* type : {"float32", "float64"}) {
    const auto dtype = std::string(type) == "float32" ? torch::kFloat32 : torch::kFloat64;
    Context here(type);
    for (const Function& f : functions) {
      const auto call = [&](const Tensors& x) { return f.apply(x[0]); };
      report_gradients(f.name, call, {formula({3, 4}, dtype, 2, f.shift)});
      report_gradients(std::string(f.name) + " transposed", call,
                       {formula({4, 3}, dtype, 2, f.shift).t()});
      report_gradients(std::string(f.name) + " empty", call, {formula({0, 3}, dtype)});
      report_gradients(std::string(f.name) + " at zero", call, {torch::zeros({2}, dtype)});
    }
    const Tensors one = {formula({3, 4}, dtype, 2)};
    report_gradients(
        "neg", [](const Tensors& x) { return -x[0]; }, one);
    report_gradients(
        "leaky_relu", [](const Tensors& x) { return torch::leaky_relu(x[0], 0.1); }, one);
    report_gradients(
        "gelu", [](const Tensors& x) { return torch::gelu(x[0]); }, one);
    report_gradients(
        "silu", [](const Tensors& x) { return torch::silu(x[0]); }, one);
  }
}

void refused() {
  const Tensor whole_numbers = torch::arange(4);
  REPORT_THROWS(whole_numbers.clone().sqrt_());
  REPORT_THROWS(torch::ones({2}).requires_grad_().sqrt_());
  REPORT_THROWS(torch::sqrt(Tensor()));
  REPORT_THROWS(torch::ones({2}).expand({3, 2}).exp_());
}

}  // namespace

int main() {
  values();
  gradients();
  refused();
  return 0;
}
