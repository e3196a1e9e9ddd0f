// Products of matrices and vectors: dtypes, layouts, broadcasting, empty sizes, gradients,
// refusals.
#include "conformance.h"

using namespace conformance;

namespace {

void values() {
  for (const NamedType& type : all_types()) {
    Context here(type.name);
    const auto make = [&](torch::IntArrayRef sizes) {
      return torch::zeros({}, type.type).is_floating_point() ? formula(sizes, type.type)
                                                             : whole(sizes, 4, type.type);
    };
    const Tensor a = make({3, 4});
    const Tensor b = make({4, 5});
    const Tensor v = make({4});
    REPORT(torch::mm(a, b));
    REPORT(a.mm(make({5, 4}).t()));
    REPORT(make({4, 3}).t().mm(b));
    REPORT(make({4, 3}).t().mm(make({5, 4}).t()));
    REPORT(make({3, 8}).slice(1, 0, 8, 2).mm(b));
    REPORT(torch::mv(a, v));
    REPORT(make({4, 3}).t().mv(v));
    REPORT(torch::dot(v, v));
    REPORT(make({8}).slice(0, 0, 8, 2).dot(v));
    REPORT(torch::bmm(make({2, 3, 4}), make({2, 4, 5})));
    REPORT(make({2, 4, 3}).transpose(1, 2).bmm(make({2, 5, 4}).transpose(1, 2)));
    REPORT(torch::addmm(make({3, 5}), a, b));
    REPORT(torch::addmm(make({5}), a, b));
    REPORT(torch::addmm(make({3, 1}), a, b, 2, 3));
    REPORT(torch::addmm(make({5}), a, b, 0, 1));
    REPORT(torch::outer(v, make({3})));
    REPORT(torch::matmul(v, v));
    REPORT(torch::matmul(a, v));
    REPORT(torch::matmul(v, b));
    REPORT(a.matmul(b));
    REPORT(torch::matmul(make({2, 3, 4}), b));
    REPORT(torch::matmul(a, make({2, 4, 5})));
    REPORT(torch::matmul(make({2, 3, 4}), make({2, 4, 5})));
    REPORT(torch::matmul(make({2, 1, 3, 4}), make({3, 4, 5})));
    REPORT(torch::matmul(make({2, 3, 4}), v));
    REPORT(torch::matmul(v, make({2, 4, 3})));
    REPORT(torch::matmul(make({2, 1, 3, 4}), make({5, 4, 2})));
  }
}

void sizes() {
  REPORT(torch::mm(torch::zeros({0, 3}), torch::ones({3, 2})));
  REPORT(torch::mm(torch::zeros({2, 0}), torch::ones({0, 3})));
  REPORT(torch::mm(torch::zeros({2, 3}), torch::ones({3, 0})));
  REPORT(torch::mv(torch::zeros({2, 0}), torch::ones({0})));
  REPORT(torch::dot(torch::zeros({0}), torch::ones({0})));
  REPORT(torch::bmm(torch::zeros({0, 2, 3}), torch::ones({0, 3, 2})));
  REPORT(torch::bmm(torch::zeros({2, 2, 0}), torch::ones({2, 0, 2})));
  REPORT(torch::addmm(torch::ones({2, 3}), torch::zeros({2, 0}), torch::ones({0, 3})));
  REPORT(torch::matmul(torch::zeros({0, 2, 3}), torch::ones({3, 2})));
  REPORT(torch::outer(torch::zeros({0}), torch::ones({2})));
  for (const std::int64_t n : {1, 7, 16, 33, 64, 130}) {
    Context here("size " + std::to_string(n));
    const Tensor a = formula({n, n + 3}, torch::kFloat32, 1, 1);
    const Tensor b = formula({n + 3, n + 1}, torch::kFloat32, 1, 0.5);
    REPORT(torch::mm(a, b));
    REPORT(torch::mm(a.t().contiguous().t(), b));
    REPORT(torch::mv(a, b.select(1, 0)));
    REPORT(torch::addmm(torch::ones({n + 1}), a, b, 0.5, 2));
  }
}

void gradients() {
  for (const NamedType& type :
       {NamedType{"float32", torch::kFloat32}, {"float64", torch::kFloat64}}) {
    Context here(type.name);
    const auto make = [&](torch::IntArrayRef sizes) { return formula(sizes, type.type, 1, 0.2); };
    report_gradients("mm", [](const Tensors& x) { return torch::mm(x[0], x[1]); },
                     {make({3, 4}), make({4, 2})});
    report_gradients("mm transposed", [](const Tensors& x) { return torch::mm(x[0], x[1]); },
                     {make({4, 3}).t(), make({2, 4}).t()});
    report_gradients("mv", [](const Tensors& x) { return torch::mv(x[0], x[1]); },
                     {make({3, 4}), make({4})});
    report_gradients("dot", [](const Tensors& x) { return torch::dot(x[0], x[1]); },
                     {make({4}), make({4})});
    report_gradients("bmm", [](const Tensors& x) { return torch::bmm(x[0], x[1]); },
                     {make({2, 3, 4}), make({2, 4, 2})});
    report_gradients("outer", [](const Tensors& x) { return torch::outer(x[0], x[1]); },
                     {make({3}), make({4})});
    report_gradients("addmm", [](const Tensors& x) { return torch::addmm(x[0], x[1], x[2], 2, 3); },
                     {make({2}), make({3, 4}), make({4, 2})});
    const std::vector<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>> pairs = {
        {{4}, {4}},
        {{3, 4}, {4}},
        {{4}, {4, 2}},
        {{3, 4}, {4, 2}},
        {{2, 3, 4}, {4, 2}},
        {{3, 4}, {2, 4, 2}},
        {{2, 3, 4}, {4}},
        {{4}, {2, 4, 3}},
        {{2, 1, 3, 4}, {2, 4, 2}},
        {{1, 3, 4}, {2, 4, 2}},
        {{0, 4}, {4, 2}}};
    for (const auto& [left, right] : pairs)
      report_gradients("matmul " + std::to_string(left.size()) + " " + std::to_string(right.size()),
                       [](const Tensors& x) { return torch::matmul(x[0], x[1]); },
                       {make(left), make(right)});
    report_gradients("same twice", [](const Tensors& x) { return x[0].mm(x[0].t()); },
                     {make({3, 2})});
  }
}

void refused() {
  const Tensor m = torch::ones({2, 3});
  const Tensor v = torch::ones({3});
  REPORT_THROWS(torch::mm(m, m));
  REPORT_THROWS(torch::mm(m, v));
  REPORT_THROWS(torch::mm(v, m));
  REPORT_THROWS(torch::mm(m, m.t().to(torch::kFloat64)));
  REPORT_THROWS(torch::mv(m, torch::ones({2})));
  REPORT_THROWS(torch::mv(v, v));
  REPORT_THROWS(torch::dot(v, torch::ones({2})));
  REPORT_THROWS(torch::dot(m, m));
  REPORT_THROWS(torch::dot(v, v.to(torch::kFloat64)));
  REPORT_THROWS(torch::bmm(m, m));
  REPORT_THROWS(torch::bmm(torch::ones({2, 2, 3}), torch::ones({3, 3, 2})));
  REPORT_THROWS(torch::bmm(torch::ones({2, 2, 3}), torch::ones({2, 2, 3})));
  REPORT_THROWS(torch::addmm(torch::ones({4}), m, m.t()));
  REPORT_THROWS(torch::outer(m, v));
  REPORT_THROWS(torch::matmul(m, m));
  REPORT_THROWS(torch::matmul(v, torch::ones({2})));
  REPORT_THROWS(torch::matmul(torch::tensor(1.0), v));
  REPORT_THROWS(torch::matmul(torch::ones({2, 3, 4}), torch::ones({3, 4, 2})));
  REPORT_THROWS(torch::matmul(m, Tensor()));
}

}  // namespace

int main() {
  values();
  sizes();
  gradients();
  refused();
  return 0;
}
