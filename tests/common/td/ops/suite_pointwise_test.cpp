// The operation suite over unary_*.def, binary.def, comparison.def, and clamp, where, masked_fill.
// A line without a reference here fails: no operation is untested.
#include <cmath>
#include <map>

#include "catch.h"
#include "suite.h"
#include "td/ops/pointwise/binary.h"

using namespace suite;
using td::Scalar;
using td::Tensor;
using td::TensorList;

namespace {

struct Unary {
  double (*f)(double);
  double low = -2, high = 2;
};

const std::map<std::string, Unary> unary_references = {
    {"neg", {[](double x) { return -x; }}},
    {"abs", {[](double x) { return std::fabs(x); }}},
    {"square", {[](double x) { return x * x; }}},
    {"sign", {[](double x) { return x > 0 ? 1.0 : -1.0; }}},
    {"relu", {[](double x) { return std::max(x, 0.0); }}},
    {"sqrt", {[](double x) { return std::sqrt(x); }, 0.3, 4}},
    {"rsqrt", {[](double x) { return 1 / std::sqrt(x); }, 0.3, 4}},
    {"reciprocal", {[](double x) { return 1 / x; }, 0.3, 4}},
    {"exp", {[](double x) { return std::exp(x); }}},
    {"log", {[](double x) { return std::log(x); }, 0.3, 4}},
    {"log1p", {[](double x) { return std::log1p(x); }, -0.7, 4}},
    {"sin", {[](double x) { return std::sin(x); }}},
    {"cos", {[](double x) { return std::cos(x); }}},
    {"tanh", {[](double x) { return std::tanh(x); }}},
    {"sigmoid", {[](double x) { return 1 / (1 + std::exp(-x)); }}},
    {"erf", {[](double x) { return std::erf(x); }}},
    {"floor", {[](double x) { return std::floor(x); }}},
    {"ceil", {[](double x) { return std::ceil(x); }}},
    {"round", {[](double x) { return std::nearbyint(x); }}},
};

void check_unary(const std::string& name, Tensor (*function)(const Tensor&)) {
  INFO(name);
  REQUIRE(unary_references.count(name) == 1);
  const Unary& u = unary_references.at(name);
  check_operation({name,
                   {"input"},
                   {spread({3, 5}, u.low, u.high)},
                   [&](const TensorList& x) { return function(x[0]); },
                   [&](const std::vector<Array>& x) { return each(x[0], u.f); },
                   {spread({0, 5})}});
}

struct Binary {
  double (*f)(double, double);
  double low = -2, high = 2;
};

const std::map<std::string, Binary> binary_references = {
    {"mul", {[](double a, double b) { return a * b; }}},
    {"div", {[](double a, double b) { return a / b; }, 0.3, 3}},
    {"pow", {[](double a, double b) { return std::pow(a, b); }, 0.3, 3}},
    {"maximum", {[](double a, double b) { return std::max(a, b); }}},
    {"minimum", {[](double a, double b) { return std::min(a, b); }}},
    {"add", {[](double a, double b) { return a + b; }}},
    {"sub", {[](double a, double b) { return a - b; }}},
};

void check_binary(const std::string& name, const Function& run) {
  INFO(name);
  REQUIRE(binary_references.count(name) == 1);
  const Binary& op = binary_references.at(name);
  const Reference expected = [&](const std::vector<Array>& x) { return each(x[0], x[1], op.f); };
  const std::vector<std::string> names{"input", "other"};
  check_operation({name,
                   names,
                   {spread({3, 4}, op.low, op.high), spread({3, 4}, op.low, op.high, 2)},
                   run,
                   expected,
                   {spread({0, 4}), spread({0, 4})}});
  check_operation({name,
                   names,
                   {spread({2, 1, 3}, op.low, op.high), spread({4, 1}, op.low, op.high, 2)},
                   run,
                   expected,
                   {spread({2, 0}), spread({1})}});
}

const std::map<std::string, bool (*)(double, double)> comparison_references = {
    {"eq", [](double a, double b) { return a == b; }},
    {"ne", [](double a, double b) { return a != b; }},
    {"lt", [](double a, double b) { return a < b; }},
    {"le", [](double a, double b) { return a <= b; }},
    {"gt", [](double a, double b) { return a > b; }},
    {"ge", [](double a, double b) { return a >= b; }},
    {"logical_and", [](double a, double b) { return a != 0 && b != 0; }},
    {"logical_or", [](double a, double b) { return a != 0 || b != 0; }},
};

void check_comparison(const std::string& name, const Function& run) {
  INFO(name);
  REQUIRE(comparison_references.count(name) == 1);
  const auto f = comparison_references.at(name);
  Sample s{name,
           {"input", "other"},
           {spread({3, 4}).round(), spread({4}, -2, 2, 2).round()},
           run,
           [f](const std::vector<Array>& x) {
             return each(x[0], x[1], [f](double a, double b) { return f(a, b) ? 1.0 : 0.0; });
           },
           {spread({0, 4}), spread({4})}};
  s.gradient = false;
  s.result = td::kBool;
  check_operation(s);
}

}  // namespace

TEST_CASE("every function of one tensor") {
#define UNARY(name, ...) check_unary(#name, &td::name);
#include "td/ops/pointwise/unary_any.def"
#include "td/ops/pointwise/unary_float.def"
#undef UNARY
}

TEST_CASE("every function of two tensors") {
#define BINARY(name, ...) \
  check_binary(#name, [](const TensorList& x) { return td::name(x[0], x[1]); });
#include "td/ops/pointwise/binary.def"
#undef BINARY
  check_binary("add", [](const TensorList& x) { return td::add(x[0], x[1]); });
  check_binary("sub", [](const TensorList& x) { return td::sub(x[0], x[1]); });
}

TEST_CASE("every comparison") {
#define COMPARISON(name, ...) \
  check_comparison(#name, [](const TensorList& x) { return td::name(x[0], x[1]); });
#include "td/ops/pointwise/comparison.def"
#undef COMPARISON
}

TEST_CASE("how maximum shares its gradient") {
  Sample s{
      "maximum_grad_weight",
      {"input", "other"},
      {spread({3, 4}).round(), spread({3, 4}, -2, 2, 2).round()},
      [](const TensorList& x) { return maximum_grad_weight(x[0], x[1]); },
      [](const std::vector<Array>& x) {
        return each(x[0], x[1], [](double a, double b) { return a > b ? 1 : a == b ? 0.5 : 0; });
      }};
  s.gradient = false;
  for (const td::Device device : {td::Device("cpu"), td::Device("sim:0")}) {
    const TensorList x{s.inputs[0].to(device), s.inputs[1].to(device)};
    CHECK(read(s.run(x)).values == s.expected({read(x[0]), read(x[1])}).values);
  }
}

TEST_CASE("limits and choices") {
  const Tensor mask = spread({3, 4}, -2, 2, 3).gt(Scalar(0));
  check_operation(
      {"clamp",
       {"input"},
       {spread({3, 4})},
       [](const TensorList& x) { return clamp(x[0], -0.75, 1.25); },
       [](const std::vector<Array>& x) {
         return each(x[0], [](double v) { return v < -0.75 ? -0.75 : v > 1.25 ? 1.25 : v; });
       },
       {spread({0})}});
  check_operation({"masked_fill",
                   {"input", "mask"},
                   {spread({3, 4}), mask},
                   [](const TensorList& x) { return masked_fill(x[0], x[1], 9); },
                   [](const std::vector<Array>& x) {
                     return each(x[0], x[1], [](double v, double m) { return m != 0 ? 9 : v; });
                   },
                   {spread({0, 4}), mask.narrow(0, 0, 1)}});
  check_operation({"where",
                   {"condition", "input", "other"},
                   {mask, spread({3, 4}), spread({4}, -1, 1, 5)},
                   [](const TensorList& x) { return where(x[0], x[1], x[2]); },
                   [](const std::vector<Array>& x) {
                     const Array a =
                         each(x[0], x[1], [](double m, double v) { return m != 0 ? v : 0; });
                     const Array b =
                         each(x[0], x[2], [](double m, double v) { return m != 0 ? 0 : v; });
                     return each(a, b, [](double p, double q) { return p + q; });
                   }});
}
