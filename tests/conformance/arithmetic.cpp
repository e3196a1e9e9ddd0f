// Functions of two tensors or a tensor and a number: all pairs of dtypes (type promotion),
// broadcasting, special values, the same in place, and gradients.
#include "conformance.h"

#include <limits>

using namespace conformance;

namespace {

struct Binary {
  const char* name;
  std::function<Tensor(const Tensor&, const Tensor&)> apply;
  bool second;  // whether gradients of gradients are compared
};

const std::vector<Binary> functions = {
    {"+", [](const Tensor& a, const Tensor& b) { return a + b; }, true},
    {"-", [](const Tensor& a, const Tensor& b) { return a - b; }, true},
    {"*", [](const Tensor& a, const Tensor& b) { return a * b; }, true},
    {"/", [](const Tensor& a, const Tensor& b) { return a / b; }, true},
    {"add alpha", [](const Tensor& a, const Tensor& b) { return torch::add(a, b, 3); }, true},
    {"add alpha 0.5", [](const Tensor& a, const Tensor& b) { return torch::add(a, b, 0.5); }, true},
    {"sub alpha", [](const Tensor& a, const Tensor& b) { return torch::sub(a, b, 2); }, true},
    {"mul", [](const Tensor& a, const Tensor& b) { return torch::mul(a, b); }, true},
    {"div", [](const Tensor& a, const Tensor& b) { return torch::div(a, b); }, true},
    {"div trunc", [](const Tensor& a, const Tensor& b) { return torch::div(a, b, "trunc"); },
     false},
    {"div floor", [](const Tensor& a, const Tensor& b) { return torch::div(a, b, "floor"); },
     false},
    {"remainder", [](const Tensor& a, const Tensor& b) { return torch::remainder(a, b); }, true},
    {"pow", [](const Tensor& a, const Tensor& b) { return torch::pow(a, b); }, true},
    {"maximum", [](const Tensor& a, const Tensor& b) { return torch::maximum(a, b); }, false},
    {"minimum", [](const Tensor& a, const Tensor& b) { return torch::minimum(a, b); }, false},
};

// Small integers from 1 on, so that every dtype can hold every result of every function.
Tensor small(torch::IntArrayRef sizes, torch::ScalarType type) {
  return (whole(sizes, 3) + 1).to(type);
}

void promotion_of_tensors() {
  for (const NamedType& left : all_types())
    for (const NamedType& right : all_types()) {
      Context here(left.name + " and " + right.name);
      for (const Binary& f : functions) {
        report(f.name, [&] { return f.apply(small({2, 3}, left.type), small({3}, right.type)); });
        report(std::string(f.name) + " without dimensions",
               [&] { return f.apply(small({2}, left.type), small({}, right.type)); });
        report(std::string(f.name) + " both without",
               [&] { return f.apply(small({}, left.type), small({}, right.type)); });
      }
    }
}

void promotion_with_numbers() {
  for (const NamedType& type : all_types()) {
    Context here(type.name);
    const Tensor x = small({2, 3}, type.type);
    const Tensor none = small({}, type.type);
    REPORT(x + 2);
    REPORT(x + 2.5);
    REPORT(x + true);
    REPORT(2 + x);
    REPORT(2.5 - x);
    REPORT(x - 1);
    REPORT(x - 1.5);
    REPORT(x * 2);
    REPORT(x * 2.5);
    REPORT(2 * x);
    REPORT(x / 2);
    REPORT(x / 2.5);
    REPORT(6 / x);
    REPORT(2.5 / x);
    REPORT(none + 2);
    REPORT(none * 2.5);
    REPORT(none / 4);
    REPORT(torch::add(x, 2, 3));
    REPORT(torch::sub(x, 2, 0.5));
    REPORT(x.add(1, 2));
    REPORT(x.div(2, "floor"));
    REPORT(x.div(2.5, "trunc"));
    REPORT(torch::remainder(x, 2));
    REPORT(torch::remainder(x, 1.5));
    REPORT(torch::pow(x, 2));
    REPORT(torch::pow(x, 3));
    REPORT(torch::pow(x, 0.5));
    REPORT(torch::pow(x, -1));
    REPORT(torch::pow(x, 0));
    REPORT(torch::pow(2, x));
    REPORT(torch::pow(2.5, x));
    REPORT(torch::clamp(x, 1, 2));
    REPORT(torch::clamp(x, 1.5));
    REPORT(torch::clamp(x, torch::nullopt, 2));
    REPORT(torch::clamp_min(x, 2));
    REPORT(torch::clamp_max(x, 1.5));
  }
}

void layouts_and_edges() {
  for (const auto& type : {NamedType{"float32", torch::kFloat32},
                           {"float64", torch::kFloat64},
                           {"int64", torch::kInt64},
                           {"bfloat16", torch::kBFloat16}})
    for (const Named& a : layouts(type.type))
      for (const Named& b : layouts(type.type)) {
        if (a.name != b.name && b.name != "dense" && b.name != "no dimension" && a.name != "dense")
          continue;
        Context here(type.name + ", " + a.name + ", " + b.name);
        for (const Binary& f : functions)
          report(f.name, [&] { return f.apply(a.tensor, b.tensor); });
      }
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor edges = torch::tensor({0.0, -0.0, 1.0, -1.0, 2.5, -2.5, inf, -inf, nan});
  Context here("edges");
  for (const Binary& f : functions)
    report(f.name, [&] { return f.apply(edges.unsqueeze(0), edges.unsqueeze(1)); });
  REPORT(torch::clamp(edges, -1.5, 1.5));
  REPORT(torch::clamp(edges, 2, 1));
  REPORT(torch::clamp(edges, nan, 1));
  REPORT(torch::clamp(edges, torch::nullopt, inf));
  const Tensor whole_edges = torch::tensor({7, -7, 8, -8});
  const Tensor divisors = torch::tensor({3, 3, -3, -3});
  REPORT(torch::div(whole_edges, divisors, "floor"));
  REPORT(torch::div(whole_edges, divisors, "trunc"));
  REPORT(torch::remainder(whole_edges, divisors));
  REPORT(torch::remainder(whole_edges.to(torch::kFloat32), divisors));
}

void shapes() {
  const std::vector<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>> pairs = {
      {{2, 3}, {2, 3}},    {{2, 3}, {3}},      {{2, 1}, {1, 3}}, {{1}, {2, 3}},
      {{4, 1, 3}, {2, 1}}, {{0, 3}, {1, 3}},   {{0}, {1}},       {{}, {2}},
      {{2, 3}, {2}},       {{2, 3}, {3, 2}},   {{0}, {2}},       {{2, 0, 3}, {1, 3}},
      {{1, 1}, {}},        {{3, 1, 1}, {4, 2}}};
  for (const auto& [left, right] : pairs) {
    const Tensor a = formula(left);
    const Tensor b = formula(right, torch::kFloat32, 1, 3);
    std::string name;
    for (const std::int64_t size : left) name += std::to_string(size) + " ";
    name += "and";
    for (const std::int64_t size : right) name += " " + std::to_string(size);
    Context here(name);
    REPORT(a + b);
    REPORT(a * b.to(torch::kFloat64));
    REPORT(torch::maximum(a, b));
    REPORT(torch::addcmul(a, b, b, 0.5));
    report_gradients("/", [](const Tensors& x) { return x[0] / x[1]; }, {a, b});
  }
}

void gradients() {
  for (const auto& type : {NamedType{"float32", torch::kFloat32}, {"float64", torch::kFloat64}}) {
    Context here(type.name);
    const auto make = [&](torch::IntArrayRef sizes, double seed) {
      return formula(sizes, type.type, 1, 2, seed);
    };
    for (const Binary& f : functions) {
      const auto call = [&](const Tensors& x) { return f.apply(x[0], x[1]); };
      report_gradients(f.name, call, {make({2, 3}, 0.1), make({2, 3}, 0.9)}, f.second);
      report_gradients(std::string(f.name) + " broadcast", call,
                       {make({2, 1, 3}, 0.1), make({4, 1}, 0.9)}, f.second);
      report_gradients(std::string(f.name) + " no dimension", call, {make({2}, 0.1), make({}, 0.9)},
                       f.second);
      report_gradients(std::string(f.name) + " mixed types", call,
                       {make({2, 2}, 0.1), formula({2}, torch::kFloat64, 1, 2, 0.5)}, f.second);
      report_gradients(std::string(f.name) + " equal values", call,
                       {torch::ones({2}, type.type), torch::ones({2}, type.type)}, false);
    }
    const Tensors one = {make({2, 3}, 0.1)};
    report_gradients(
        "x * 2 + 1", [](const Tensors& x) { return x[0] * 2 + 1; }, one);
    report_gradients(
        "1 / x", [](const Tensors& x) { return 1 / x[0]; }, one);
    report_gradients(
        "2 - x", [](const Tensors& x) { return 2 - x[0]; }, one);
    report_gradients(
        "x remainder 1.5", [](const Tensors& x) { return x[0].remainder(1.5); }, one, false);
    report_gradients(
        "x div floor", [](const Tensors& x) { return x[0].div(2, "floor"); }, one, false);
    report_gradients(
        "pow 2", [](const Tensors& x) { return x[0].pow(2); }, one);
    report_gradients(
        "pow 3", [](const Tensors& x) { return x[0].pow(3); }, one);
    report_gradients(
        "pow 0", [](const Tensors& x) { return x[0].pow(0); }, one, false);
    report_gradients(
        "pow -0.5", [](const Tensors& x) { return x[0].pow(-0.5); }, one);
    report_gradients(
        "2 pow x", [](const Tensors& x) { return torch::pow(2, x[0]); }, one);
    report_gradients("pow 2 at zero", [](const Tensors& x) { return x[0].pow(2); },
                     {torch::zeros({2}, type.type)});
    report_gradients(
        "pow 0 at zero", [](const Tensors& x) { return x[0].pow(0); },
        {torch::zeros({2}, type.type)}, false);
    report_gradients(
        "pow tensor at zero", [](const Tensors& x) { return x[0].pow(x[1]); },
        {torch::zeros({2}, type.type), make({2}, 0.1)}, false);
    report_gradients(
        "clamp", [](const Tensors& x) { return x[0].clamp(1.5, 2.5); }, one, false);
    report_gradients(
        "clamp_min", [](const Tensors& x) { return x[0].clamp_min(2); }, one, false);
    report_gradients(
        "clamp_max", [](const Tensors& x) { return x[0].clamp_max(2); }, one, false);
    report_gradients(
        "clamp at its limits", [](const Tensors& x) { return x[0].clamp(1, 2); },
        {torch::tensor({1.0, 2.0, 1.5}).to(type.type)}, false);
    report_gradients("addcmul",
                     [](const Tensors& x) { return torch::addcmul(x[0], x[1], x[2], 0.5); },
                     {make({2, 3}, 0.1), make({3}, 0.5), make({2, 1}, 0.7)});
  }
}

void refused() {
  const Tensor a = torch::ones({2, 3});
  const Tensor flags = torch::ones({2, 3}, torch::kBool);
  REPORT_THROWS(a + torch::ones({4}));
  REPORT_THROWS(a + Tensor());
  REPORT_THROWS(Tensor() * a);
  REPORT_THROWS(flags - flags);
  REPORT_THROWS(flags - 1);
  REPORT_THROWS(1 - flags);
  REPORT_THROWS(-flags);
  REPORT_THROWS(torch::add(torch::ones({2}, torch::kInt64), torch::ones({2}, torch::kInt64), 0.5));
  REPORT_THROWS(torch::add(flags, flags, 2));
  REPORT_THROWS(torch::div(a, a, "ceil"));
  REPORT_THROWS(torch::pow(torch::arange(3), -1));
  REPORT_THROWS(torch::arange(3) / 0);
  REPORT_THROWS(torch::div(torch::arange(3), 0, "floor"));
  REPORT_THROWS(torch::div(torch::arange(3), torch::arange(3), "trunc"));
  REPORT_THROWS(torch::remainder(torch::arange(3), 0));
  const torch::optional<torch::Scalar> no_limit;
  REPORT_THROWS(torch::clamp(a, no_limit, no_limit));
}

}  // namespace

int main() {
  promotion_of_tensors();
  promotion_with_numbers();
  layouts_and_edges();
  shapes();
  gradients();
  refused();
  return 0;
}
