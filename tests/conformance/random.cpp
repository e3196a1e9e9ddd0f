// Random numbers: the two libraries draw different ones, so dtype, sizes, range and moments are
// compared.
#include "conformance.h"

#include <cmath>

using namespace conformance;

namespace {

// True when mean and standard deviation are as expected, within five standard errors.
bool has_moments(const Tensor& x, double mean, double deviation) {
  const Tensor wide = x.to(torch::kFloat64).flatten();
  const double n = static_cast<double>(wide.numel());
  return std::abs(wide.mean().item<double>() - mean) < 5 * deviation / std::sqrt(n) &&
         std::abs(wide.std().item<double>() - deviation) < 5 * deviation / std::sqrt(n);
}

void factories() {
  torch::manual_seed(7);
  for (const NamedType& type : float_types()) {
    Context here(type.name);
    if (type.name == "float16") continue;  // libtorch draws none on the CPU
    const Tensor uniform = torch::rand({200, 100}, type.type);
    print_range("rand", uniform, 0, 1);
    REPORT(has_moments(uniform, 0.5, std::sqrt(1.0 / 12)));
    const Tensor normal = torch::randn({200, 100}, type.type);
    print_range("randn", normal, -7, 7);
    REPORT(has_moments(normal, 0, 1));
    print_range("rand_like", torch::rand_like(normal.t()), 0, 1);
    print_range("randn_like", torch::randn_like(normal.t()), -7, 7);
  }
  const Tensor small = torch::randint(5, {1000});
  print_range("randint", small, 0, 4);
  REPORT(std::get<0>(small.sort())[0].item<std::int64_t>());
  REPORT(small.max().item<std::int64_t>());
  print_range("randint low", torch::randint(-3, 3, {10, 10}), -3, 2);
  print_range("randint float", torch::randint(0, 3, {10, 10}, torch::kFloat32), 0, 2);
  print_range("randint int32", torch::randint(1, 3, {10}, torch::kInt32), 1, 2);
  const Tensor order = torch::randperm(100);
  print_range("randperm", order, 0, 99);
  REPORT(std::get<0>(order.sort()).equal(torch::arange(100)));
  REPORT(order.equal(torch::arange(100)));
  REPORT(torch::randperm(0).sizes());
  REPORT(torch::rand({0, 3}).sizes());
  REPORT(torch::rand({}).sizes());
  REPORT(torch::rand({2}, torch::requires_grad()).requires_grad());
  REPORT_THROWS(torch::randint(3, 3, {2}));
  REPORT_THROWS(torch::randint(5, 2, {2}));
  REPORT_THROWS(torch::randperm(-1));
  REPORT_THROWS(torch::rand({2}, torch::kInt64));
  REPORT_THROWS(torch::randn({2}, torch::kBool));
}

void seeds() {
  torch::manual_seed(3);
  const Tensor first = torch::rand({5});
  const Tensor second = torch::rand({5});
  torch::manual_seed(3);
  REPORT(torch::rand({5}).equal(first));
  REPORT(torch::rand({5}).equal(second));
  REPORT(first.equal(second));
  torch::manual_seed(4);
  REPORT(torch::rand({5}).equal(first));
}

void in_place() {
  const Tensor x = torch::zeros({300, 100});
  REPORT(x.uniform_(-2, 4).is_same(x));
  print_range("uniform_", x, -2, 4);
  REPORT(has_moments(x, 1, 6 / std::sqrt(12.0)));
  x.normal_(3, 0.5);
  print_range("normal_", x, 0, 6);
  REPORT(has_moments(x, 3, 0.5));
  x.t().uniform_();
  print_range("transposed", x, 0, 1);
  REPORT(has_moments(x, 0.5, std::sqrt(1.0 / 12)));
  REPORT(x.random_(10).is_same(x));
  REPORT(has_moments(x, 4.5, std::sqrt(99 / 12.0)));
  REPORT_THROWS(x.uniform_(1, 0));
  REPORT_THROWS(x.normal_(0, -1));
  REPORT_THROWS(torch::zeros({2}, torch::kInt64).uniform_());
  REPORT_THROWS(torch::zeros({2}, torch::kInt64).normal_());
  REPORT_THROWS(torch::zeros({2}).requires_grad_().uniform_());
  report_gradients(
      "uniform_ cuts the graph",
      [](const Tensors& in) {
        const Tensor y = in[0] * 1;
        y.uniform_(2, 2);
        return y + in[0];
      },
      {formula({3})}, false);
}

// Each type's own range, where there are few numbers by its ends.
void whole_numbers() {
  const torch::optional<std::int64_t> open;
  for (const NamedType& type : all_types()) {
    Context here(type.name);
    const Tensor x = torch::zeros({200, 100}, type.type);
    const auto extremes = [&] {
      const Tensor wide = x.to(torch::kFloat64);
      return Tensors{wide.min(), wide.max()};
    };
    if (x.element_size() <= 2) {
      x.random_();
      REPORT(extremes());
      REPORT_THROWS(x.random_(-1, 257));
    }
    x.random_(2);
    REPORT(extremes());
    x.random_(1, 2);
    REPORT(extremes());
    REPORT_THROWS(x.random_(0, 3));
    REPORT_THROWS(x.random_(-1, 1));
    REPORT_THROWS(x.random_(5, open));
    REPORT_THROWS(x.random_(0));
    REPORT_THROWS(x.random_(1, 1));
  }
  print_range("random_", torch::zeros({100}).random_(), 0, 16777216);
  print_range("random_ int32", torch::zeros({100}, torch::kInt32).random_(), 0, 2147483647);
  REPORT_THROWS(torch::ones({2}).requires_grad_().random_());
  REPORT_THROWS(torch::ones({1}).expand({2}).random_());
}

}  // namespace

int main() {
  factories();
  seeds();
  in_place();
  whole_numbers();
  return 0;
}
