// The operation suite over activation.def. A line without a reference here fails.
#include <cmath>
#include <map>

#include "../td/ops/suite.h"
#include "../td/tensor/values.h"
#include "td_more/td_more.h"

using namespace suite;
using td::Tensor;
using td::TensorList;

namespace {

struct Form {
  Tensor (*run)(const Tensor&);
  double (*f)(double);
};
// Each with its defaults and, where it has parameters, with others.
const std::multimap<std::string, Form> activation_references = {
    {"leaky_relu",
     {[](const Tensor& x) { return td::leaky_relu(x); },
      [](double x) { return x > 0 ? x : 0.01 * x; }}},
    {"leaky_relu",
     {[](const Tensor& x) { return td::leaky_relu(x, 0.5); },
      [](double x) { return x > 0 ? x : 0.5 * x; }}},
    {"elu",
     {[](const Tensor& x) { return td::elu(x); },
      [](double x) { return x > 0 ? x : std::exp(x) - 1; }}},
    {"elu",
     {[](const Tensor& x) { return td::elu(x, 2, 3, 0.5); },
      [](double x) { return 3 * (x > 0 ? x : 2 * (std::exp(0.5 * x) - 1)); }}},
    {"softplus",
     {[](const Tensor& x) { return td::softplus(x); },
      [](double x) { return std::log(1 + std::exp(x)); }}},
    {"softplus",
     {[](const Tensor& x) { return td::softplus(x, 2, 1); },
      [](double x) { return 2 * x > 1 ? x : std::log(1 + std::exp(2 * x)) / 2; }}},
    {"silu",
     {[](const Tensor& x) { return td::silu(x); },
      [](double x) { return x / (1 + std::exp(-x)); }}},
    {"gelu",
     {[](const Tensor& x) { return td::gelu(x); },
      [](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }}},
};

void check_activation(const std::string& name) {
  INFO(name);
  REQUIRE(activation_references.count(name) >= 1);
  const auto [from, to] = activation_references.equal_range(name);
  for (auto form = from; form != to; ++form)
    check_operation({name,
                     {"input"},
                     {spread({3, 5}, -3, 3)},
                     [form](const TensorList& x) { return form->second.run(x[0]); },
                     [form](const std::vector<Array>& x) { return each(x[0], form->second.f); },
                     {spread({0, 5})}});
}

}  // namespace

TEST_CASE("every activation with parameters") {
#define ACTIVATION(name, ...) check_activation(#name);
#include "td_more/activation.def"
#undef ACTIVATION
}

TEST_CASE("activations in place keep the old values for their gradient") {
  for (const td::Device device : devices()) {
    INFO(device);
    const Tensor leaf_of = of({-1, 2}, device).requires_grad_();
    Tensor y = leaf_of * 1;
    leaky_relu_(y, 0.25);
    CHECK(values(y) == std::vector<double>{-0.25, 2});
    y.sum().backward();
    CHECK(values(leaf_of.grad()) == std::vector<double>{0.25, 1});
  }
}

TEST_CASE("activations of integers are errors, and change nothing") {
  const Tensor whole = td::tensor({4, 5});
  CHECK(message<td::DtypeError>([&] { td::gelu(whole); }) ==
        "gelu: expected a floating point tensor but got int64; convert it with to(kFloat32)");
  Tensor kept = whole.clone();
  CHECK(message<td::DtypeError>([&] { td::leaky_relu_(kept); }) ==
        "leaky_relu: expected a floating point tensor but got int64; convert it with to(kFloat32)");
  CHECK(kept._version() == 0);
}
