// Comparison and logic: every dtype pair and layout, numbers, special values, all and any,
// closeness.
#include "conformance.h"

#include <limits>

using namespace conformance;

namespace {

struct Binary {
  const char* name;
  std::function<Tensor(const Tensor&, const Tensor&)> apply;
};
const std::vector<Binary> functions = {
    {"==", [](const Tensor& a, const Tensor& b) { return a == b; }},
    {"!=", [](const Tensor& a, const Tensor& b) { return a != b; }},
    {"<", [](const Tensor& a, const Tensor& b) { return a < b; }},
    {"<=", [](const Tensor& a, const Tensor& b) { return a <= b; }},
    {">", [](const Tensor& a, const Tensor& b) { return a > b; }},
    {">=", [](const Tensor& a, const Tensor& b) { return a >= b; }},
    {"eq", [](const Tensor& a, const Tensor& b) { return torch::eq(a, b); }},
    {"ne", [](const Tensor& a, const Tensor& b) { return a.ne(b); }},
    {"lt", [](const Tensor& a, const Tensor& b) { return a.lt(b); }},
    {"le", [](const Tensor& a, const Tensor& b) { return torch::le(a, b); }},
    {"gt", [](const Tensor& a, const Tensor& b) { return torch::gt(a, b); }},
    {"ge", [](const Tensor& a, const Tensor& b) { return a.ge(b); }},
    {"logical_and", [](const Tensor& a, const Tensor& b) { return torch::logical_and(a, b); }},
    {"logical_or", [](const Tensor& a, const Tensor& b) { return torch::logical_or(a, b); }},
    {"&", [](const Tensor& a, const Tensor& b) { return a & b; }},
    {"|", [](const Tensor& a, const Tensor& b) { return a | b; }},
};

void types() {
  for (const NamedType& left : all_types())
    for (const NamedType& right : all_types()) {
      Context here(left.name + " and " + right.name);
      const Tensor a = whole({2, 3}, 3, left.type);
      const Tensor b = whole({3}, 2, right.type);
      for (const Binary& f : functions) {
        report(f.name, [&] { return f.apply(a, b); });
        report(std::string(f.name) + " no dimension", [&] { return f.apply(a, b[1]); });
      }
      REPORT(torch::equal(b, b.to(left.type)));
      REPORT(torch::where(a[0] > 1, a[0], b));
    }
}

void layouts_and_numbers() {
  for (const NamedType& type : all_types())
    for (const Named& input : layouts(type.type)) {
      Context here(type.name + ", " + input.name);
      const Tensor& x = input.tensor;
      for (const Binary& f : functions) report(f.name, [&] { return f.apply(x, x); });
      REPORT(x == 1);
      REPORT(x != 0.5);
      REPORT(x < 2);
      REPORT(x <= 2.5);
      REPORT(x > -1);
      REPORT(x >= 1);
      REPORT(x == true);
      REPORT(x.logical_not());
      REPORT(torch::logical_not(x));
      REPORT(~x);
      REPORT(x.all());
      REPORT(x.any());
      REPORT(torch::all(x, 0));
      REPORT(torch::any(x, -1));
      REPORT(torch::all(x, 0, true));
      REPORT(x.isnan());
      REPORT(x.isinf());
      REPORT(x.isfinite());
      REPORT(torch::isnan(x));
      REPORT(torch::equal(x, x));
      REPORT(torch::equal(x, x.clone()));
      REPORT(torch::allclose(x, x));
      REPORT(x.allclose(x, 1e-5, 1e-8, true));
      REPORT(x.masked_fill(x > 1, 1));
      REPORT(x.masked_select(x > 1));
      REPORT(x.nonzero());
      REPORT(torch::where(x > 0, x, torch::zeros_like(x)));
    }
}

void edges() {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor x = torch::tensor({0.0, -0.0, 1.0, inf, -inf, nan});
  for (const Binary& f : functions)
    report(f.name, [&] { return f.apply(x.unsqueeze(0), x.unsqueeze(1)); });
  REPORT(torch::allclose(torch::ones({2}), torch::ones({2}) + 1e-6));
  REPORT(torch::allclose(torch::ones({2}), torch::ones({2}) + 1e-3));
  REPORT(torch::allclose(torch::ones({2}), torch::ones({2}) + 1e-3, 1e-2));
  REPORT(torch::allclose(torch::zeros({2}), torch::zeros({2}) + 1e-3, 0, 1e-2));
  REPORT(torch::allclose(torch::ones({2, 2}), torch::ones({2})));
  REPORT(torch::equal(torch::ones({2, 2}), torch::ones({2})));
  REPORT(torch::all(torch::ones({0})));
  REPORT(torch::any(torch::ones({0})));
  REPORT(torch::all(torch::ones({0, 2}), 0));
  REPORT(torch::any(torch::ones({0, 2}), 0));
  REPORT(torch::ones({2}).eq(1).all().item<bool>());
  REPORT(torch::where(torch::tensor({true, false}), torch::tensor({1.0, 2.0}), torch::tensor(5.0)));
  REPORT(torch::where(torch::tensor({true, false}), 1.5, torch::tensor({3.0, 4.0})));
  REPORT(torch::where(torch::tensor({true, false}), torch::tensor({3.0, 4.0}), 0));
  REPORT(torch::where(torch::tensor({true, false}).unsqueeze(1), torch::tensor({1, 2, 3}),
                      torch::tensor({0})));
  report_gradients("where",
                   [](const Tensors& in) { return torch::where(in[0] > 0, in[0] * in[1], in[1]); },
                   {formula({2, 3}), formula({3})});
  report_gradients("masked_fill",
                   [](const Tensors& in) { return in[0].exp().masked_fill(in[0] > 0, 2); },
                   {formula({2, 3})});
  report_gradients("masked_select",
                   [](const Tensors& in) { return in[0].exp().masked_select(in[0] > 0); },
                   {formula({2, 3})});
  report_gradients("masked_select broadcast",
                   [](const Tensors& in) {
                     return in[0].masked_select(torch::tensor({true, false, true}));
                   },
                   {formula({2, 3})});
}

void refused() {
  const Tensor x = torch::ones({2, 3});
  REPORT_THROWS(x == torch::ones({4}));
  REPORT_THROWS(x < Tensor());
  REPORT_THROWS(x & x);
  REPORT_THROWS(~x);
  REPORT_THROWS(torch::all(x, 2));
  REPORT_THROWS(torch::any(x, -3));
  REPORT_THROWS(torch::where(x, x, x));
  REPORT_THROWS(torch::where(x > 0, x, torch::ones({4})));
  REPORT_THROWS(x.masked_fill(x, 1));
  REPORT_THROWS(x.masked_fill(torch::ones({4}, torch::kBool), 1));
  REPORT_THROWS(x.masked_select(x));
  REPORT_THROWS(x.masked_select(torch::ones({4}, torch::kBool)));
  REPORT_THROWS(torch::equal(x, Tensor()));
  REPORT_THROWS(torch::allclose(x, torch::ones({4})));
  REPORT_THROWS(torch::allclose(x, x.to(torch::kFloat64)));
  REPORT_THROWS(torch::equal(x, x.to(torch::kFloat64)));
}

}  // namespace

int main() {
  types();
  layouts_and_numbers();
  edges();
  refused();
  return 0;
}
