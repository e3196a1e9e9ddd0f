// The operation suite over ternary.def and binary_integer.def, and over powers. A line without a
// reference here fails.
#include <bit>
#include <cmath>
#include <map>
#include <random>

#include "../tensor/values.h"
#include "catch.h"
#include "suite.h"

using namespace suite;
using td::Tensor;
using td::TensorList;

namespace {

struct Ternary {
  std::vector<std::string> arguments;
  Tensor (*run)(const TensorList&);
  double (*f)(double, double, double);
};

const std::map<std::string, Ternary> ternary_references = {
    {"addcmul",
     {{"input", "tensor1", "tensor2"},
      [](const TensorList& x) { return addcmul(x[0], x[1], x[2], 2); },
      [](double a, double b, double c) { return a + 2 * b * c; }}},
    {"addcdiv",
     {{"input", "tensor1", "tensor2"},
      [](const TensorList& x) { return addcdiv(x[0], x[1], x[2], -1.5); },
      [](double a, double b, double c) { return a - 1.5 * b / c; }}},
    {"lerp",
     {{"input", "end", "weight"},
      [](const TensorList& x) { return lerp(x[0], x[1], x[2]); },
      [](double a, double b, double c) { return a * (1 - c) + b * c; }}},
};

// f of the elements of three arrays whose sizes broadcast.
Array each3(const std::vector<Array>& x, double (*f)(double, double, double)) {
  const auto first = [](double a, double) { return a; };
  const auto second = [](double, double b) { return b; };
  Array y = each(each(x[0], x[1], first), x[2], first);
  const Array b = each(each(x[0], x[1], second), x[2], first), c = each(y, x[2], second);
  for (std::size_t i = 0; i < y.values.size(); ++i)
    y.values[i] = f(y.values[i], b.values[i], c.values[i]);
  return y;
}

void check_ternary(const std::string& name) {
  INFO(name);
  REQUIRE(ternary_references.count(name) == 1);
  const Ternary& t = ternary_references.at(name);
  const Reference expected = [&t](const std::vector<Array>& x) { return each3(x, t.f); };
  check_operation({name,
                   t.arguments,
                   {spread({3, 4}), spread({3, 4}, -2, 2, 2), spread({3, 4}, 0.3, 3, 3)},
                   t.run,
                   expected,
                   {spread({0, 4}), spread({0, 4}), spread({0, 4})}});
  check_operation({name,
                   t.arguments,
                   {spread({2, 1, 3}), spread({4, 1}, -2, 2, 2), spread({3}, 0.3, 3, 3)},
                   t.run,
                   expected});
}

struct Whole {
  double (*f)(double, double);
};
const std::map<std::string, Whole> whole_references = {
    {"div_trunc", {[](double a, double b) { return std::trunc(a / b); }}},
    {"div_floor", {[](double a, double b) { return std::floor(a / b); }}},
    {"remainder", {[](double a, double b) { return a - std::floor(a / b) * b; }}},
};

void check_whole(const std::string& name, Tensor (*run)(const Tensor&, const Tensor&)) {
  INFO(name);
  REQUIRE(whole_references.count(name) == 1);
  const auto f = whole_references.at(name).f;
  const Function call = [run](const TensorList& x) { return run(x[0], x[1]); };
  const Reference expected = [f](const std::vector<Array>& x) { return each(x[0], x[1], f); };
  const std::vector<std::string> names{"input", "other"};
  for (const double sign : {1.0, -1.0})
    check_operation({name,
                     names,
                     {spread({3, 4}, -7, 7), spread({4}, 0.7, 3, 2) * td::Scalar(sign)},
                     call,
                     expected,
                     {spread({0, 4}), spread({4}, 1, 2)}});
  // Integers, every combination of signs: exactly as the real quotient requires.
  for (const td::ScalarType type : {td::kInt, td::kLong}) {
    const Tensor a = td::tensor({7, -7, 6, -6, 0}).to(type).unsqueeze(1);
    const Tensor b = td::tensor({2, -2, 3, -3, 7}).to(type);
    const Tensor y = run(a, b);
    CHECK(y.dtype() == type);
    CHECK(read(y).values == each(read(a), read(b), f).values);
  }
}

}  // namespace

TEST_CASE("every function of three tensors") {
#define TERNARY(name, ...) check_ternary(#name);
#include "td/ops/pointwise/ternary.def"
#undef TERNARY
}

TEST_CASE("every integer quotient") {
#define BINARY(name, ...) check_whole(#name, &td::name);
#include "td/ops/pointwise/binary_integer.def"
#undef BINARY
}

TEST_CASE("functions of three tensors in place, with their gradients") {
  const Tensor a = leaf({1, 2}), b = leaf({3, -4}), c = leaf({0.5f, 2});
  Tensor y = a * 2;
  y.addcmul_(b, c, 2).addcdiv_(b, c).lerp_(b, 0.25);
  // y = 0.75 (2a + 2bc + b/c) + 0.25 b
  CHECK(values(y) == std::vector<double>{9, -11.5});
  y.sum().backward();
  CHECK(values(a.grad()) == std::vector<double>{1.5, 1.5});
  CHECK(values(b.grad()) == std::vector<double>{0.75 * (1 + 2) + 0.25, 0.75 * (4 + 0.5) + 0.25});
  CHECK(values(c.grad()) == std::vector<double>{0.75 * (6 - 12), 0.75 * (-8 + 1)});
}

TEST_CASE("remainders and rounded quotients of any float32 are exact") {
  std::vector<float> a{0.f, -0.f, 1.f, -1.f, INFINITY, -INFINITY, NAN, 1e-45f, 3e38f, 0.3f, -7.f};
  std::vector<float> left, right;
  for (const float x : a)
    for (const float y : a) left.push_back(x), right.push_back(y);
  std::mt19937 random(1);
  for (int i = 0; i < 30000; ++i) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    const float y = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    const auto times = static_cast<float>(random() % 100000);
    left.push_back(i % 3 == 0 ? x : i % 3 == 1 ? y * times : times / 7);
    right.push_back(i % 3 == 2 ? 0.3f : y);
  }
  const Tensor x = td::tensor(left), y = td::tensor(right);
  const Tensor rest = remainder(x, y), quotient = div(x, y, "floor");
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const float m = std::fmod(left[i], right[i]);
    const bool away = m != 0 && (m < 0) != (right[i] < 0);
    const float whole = (left[i] - m) / right[i] - (away ? 1.f : 0.f);
    const float wanted[] = {away ? m + right[i] : m,
                            right[i] == 0 ? left[i] / right[i] : std::rint(whole)};
    const float got[] = {rest.data_ptr<float>()[i], quotient.data_ptr<float>()[i]};
    for (int k = 0; k < 2; ++k)
      wrong += std::isnan(wanted[k])
                   ? !std::isnan(got[k])
                   : got[k] != wanted[k] || std::signbit(got[k]) != std::signbit(wanted[k]);
  }
  CHECK(wrong == 0);
}

TEST_CASE("powers with an exponent for which there is a formula") {
  for (const double exponent : {-3.0, -2.0, -1.5, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0}) {
    INFO(exponent);
    check_operation({"pow",
                     {"input"},
                     {spread({3, 5}, 0.7, 2)},
                     [=](const TensorList& x) { return pow(x[0], exponent); },
                     [=](const std::vector<Array>& x) {
                       return each(x[0], [=](double v) { return std::pow(v, exponent); });
                     },
                     {spread({0, 5})}});
  }
  const Tensor x = td::tensor({-INFINITY, -2.f, -0.f, 0.f, 1e-45f, INFINITY, NAN});
  const auto of = [&](double exponent, std::size_t i) { return read(pow(x, exponent)).values[i]; };
  CHECK(of(3, 0) == -INFINITY);
  CHECK(of(3, 1) == -8);
  CHECK(std::signbit(of(3, 2)));
  CHECK(of(-1, 2) == -INFINITY);
  CHECK(of(-1, 0) == 0);
  CHECK(of(-2, 3) == INFINITY);
  CHECK(of(-0.5, 3) == INFINITY);
  CHECK(of(0.5, 4) == static_cast<double>(std::sqrt(1e-45f)));
  CHECK(of(0.5, 5) == INFINITY);
  CHECK(std::isnan(of(0.5, 1)));
  CHECK(std::isnan(of(3, 6)));
  CHECK(td::equal(pow(td::tensor({2, -3}), 3), td::tensor({8, -27})));  // integers stay integers
}

TEST_CASE("powers at the limits of their domain have the gradient 0") {
  const Tensor base = leaf({0, -1}), exponent = leaf({0, 2});
  pow(base, 0).sum().backward();
  CHECK(values(base.grad()) == std::vector<double>{0, 0});
  pow(td::zeros({2}), exponent).sum().backward();
  CHECK(values(exponent.grad()) == std::vector<double>{0, 0});
  CHECK(message<td::DtypeError>([] { pow(td::tensor({2}), -1); }) ==
        "pow: an integer to the power -1 is not an integer; convert with to(kFloat32)");
}

TEST_CASE("invalid arguments of quotients are errors that name them") {
  const Tensor whole = td::tensor({4, 5});
  CHECK(message<td::Error>([&] {
          td::div_floor(whole, td::tensor({2, 0}));
        }) == "div: an integer was divided by 0; check the divisor with ne(0)");
  CHECK(message<td::Error>([&] { td::div(whole, 2, "up"); }) ==
        "div: the rounding mode must be \"trunc\" or \"floor\" but is \"up\"");
  CHECK(message<td::DtypeError>([&] { td::lerp(whole, whole, 1); }) ==
        "lerp: not defined for integers; convert \"input\" with to(kFloat32)");
  CHECK(message<td::DtypeError>([&] { whole.clone().div_(0.5, "floor"); }) ==
        "div_: a result of type float32 cannot be kept in a tensor of type int64; convert it first "
        "with to(dtype)");
}
