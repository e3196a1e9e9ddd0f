// Tests of cast_policy: trials of operations whose loss in 16 bits is known.
#include <limits>

#include "check_tensors.h"
#include "exercises.h"

namespace {

using td::autocast::Policy;

const char* name_of(Policy policy) {
  switch (policy) {
    case Policy::kFloat:
      return "kFloat";
    case Policy::kLowerPrecision:
      return "kLowerPrecision";
    case Policy::kUnlisted:
      return "kUnlisted";
    default:
      return "another policy";
  }
}

void expect_policy(const Operation& operation, const std::vector<td::TensorList>& samples,
                   td::ScalarType fast, Policy expected, const std::string& what,
                   double tolerance = 0.01) {
  const Policy got = choose_policy(operation, samples, fast, tolerance);
  check::expect(got == expected, what + " in " + td::dtype_name(fast) + ": expected " +
                                     name_of(expected) + ", got " + name_of(got));
}

td::Tensor floats(const std::vector<double>& values) { return td::tensor(values).to(td::kFloat32); }

const Operation kExp{[](const td::TensorList& a) { return a[0].exp(); }};
const Operation kSame{[](const td::TensorList& a) { return a[0] * 1; }};

}  // namespace

TEST_CASE("an overflow: exp of 12 is too large for float16", "[cast_policy]") {
  for (const td::Device device : check::devices()) {
    const td::TensorList sample = {floats({1, 12}).to(device)};
    expect_policy(kExp, {sample}, td::kFloat16, Policy::kFloat, "exp of {1, 12}");
    expect_policy(kExp, {sample}, td::kBFloat16, Policy::kUnlisted, "exp of {1, 12}", 0.05);
  }
}

TEST_CASE("an underflow: exp of -20 is 0 in float16", "[cast_policy]") {
  expect_policy(kExp, {{floats({-20, 0})}}, td::kFloat16, Policy::kFloat, "exp of {-20, 0}");
  expect_policy(kExp, {{floats({-20, 0})}}, td::kBFloat16, Policy::kUnlisted, "exp of {-20, 0}",
                0.05);
}

TEST_CASE("arguments that do not fit are lost, too", "[cast_policy]") {
  expect_policy(kSame, {{floats({1, 70000})}}, td::kFloat16, Policy::kFloat, "70000");
  expect_policy(kSame, {{floats({1, 0, -2})}}, td::kFloat16, Policy::kUnlisted, "1, 0 and -2");
}

TEST_CASE("a sum that accumulates in 16 bits is too inaccurate", "[cast_policy]") {
  const Operation sum{[](const td::TensorList& a) {
    td::Tensor total = td::zeros({}).to(a[0].scalar_type());
    for (std::int64_t i = 0; i < a[0].size(0); ++i) total = total + a[0][i];
    return total;
  }};
  expect_policy(sum, {{td::ones({64})}}, td::kBFloat16, Policy::kUnlisted, "a sum of 64 ones");
  expect_policy(sum, {{td::ones({64})}, {td::ones({400})}}, td::kBFloat16, Policy::kFloat,
                "sums of 64 and of 400 ones");
  expect_policy(sum, {{td::ones({400})}, {td::ones({64})}}, td::kBFloat16, Policy::kFloat,
                "sums of 400 and of 64 ones");
}

TEST_CASE("a product on Tensor Cores runs in lower precision", "[cast_policy]") {
  td::manual_seed(1);
  const Operation product{[](const td::TensorList& a) { return td::matmul(a[0], a[1]); }, true};
  const td::TensorList sample = {td::randn({31, 33}), td::randn({33, 5})};
  for (const td::ScalarType fast : {td::kFloat16, td::kBFloat16})
    expect_policy(product, {sample}, fast, Policy::kLowerPrecision, "a product", 0.03);
  const td::TensorList large = {td::full({2, 40}, 100.0), td::full({40, 2}, 100.0)};
  expect_policy(product, {sample, large}, td::kFloat16, Policy::kFloat, "a product of 400000");
  expect_policy(product, {}, td::kFloat16, Policy::kLowerPrecision, "a product without samples");
}

TEST_CASE("errors are compared with the largest element, and the tolerance decides",
          "[cast_policy]") {
  const Operation shifted{[](const td::TensorList& a) {
    return a[0] + (a[0].scalar_type() == td::kFloat32 ? 0.0 : 0.5);
  }};
  expect_policy(shifted, {{floats({0.25, -100})}}, td::kFloat16, Policy::kUnlisted,
                "an error of 0.5, and 100 is the largest, tolerance 0.01");
  expect_policy(shifted, {{floats({0.25, -100})}}, td::kFloat16, Policy::kFloat,
                "an error of 0.5, and 100 is the largest, tolerance 0.001", 0.001);
  expect_policy(shifted, {{floats({0.25, -10})}}, td::kFloat16, Policy::kFloat,
                "an error of 0.5, and 10 is the largest, tolerance 0.01");
}

TEST_CASE("what is infinite or NaN in float32 is no loss", "[cast_policy]") {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_policy(kSame, {{floats({1, inf, -inf, nan})}}, td::kFloat16, Policy::kUnlisted,
                "1, inf, -inf and NaN");
  expect_policy(kSame, {{floats({1, inf, 70000})}}, td::kFloat16, Policy::kFloat,
                "1, inf and 70000");
  const Operation worse{[nan](const td::TensorList& a) {
    const bool half = a[0].scalar_type() != td::kFloat32;
    return half ? a[0] * floats({1, nan}).to(a[0].scalar_type()) : a[0] * 1;
  }};
  expect_policy(worse, {{floats({1, 2})}}, td::kFloat16, Policy::kFloat, "2 that becomes NaN");
}

TEST_CASE("integers keep their type, and the samples their values", "[cast_policy]") {
  const Operation pick{[](const td::TensorList& a) {
    check::expect_dtype(a[1], td::kInt64, "the index, argument 1");
    return a[0].index_select(0, a[1]);
  }};
  const td::Tensor values = floats({1.001, 2, 3}).requires_grad_();
  const td::TensorList sample = {values, td::tensor({2, 70000 - 70000})};
  expect_policy(pick, {sample}, td::kFloat16, Policy::kUnlisted, "index_select");
  check::expect_close(check::values(values), std::vector<double>{1.001, 2, 3}, 1e-6, "the sample");
  expect_policy(kSame, {{td::zeros({0})}}, td::kFloat16, Policy::kUnlisted, "an empty result");
}

TEST_CASE("the limit for the errors of a sample is that of its own result", "[cast_policy]") {
  const Operation shifted{[](const td::TensorList& a) {
    return a[0] + (a[0].scalar_type() == td::kFloat32 ? 0.0 : 0.5);
  }};
  const td::TensorList small = {floats({0.25, -10})}, large = {floats({0.25, -1000})};
  for (const auto& samples : {std::vector{small, large}, std::vector{large, small}})
    expect_policy(shifted, samples, td::kFloat16, Policy::kFloat,
                  "errors of 0.5 in two samples, whose largest elements are 10 and 1000");
}

TEST_CASE("an infinity or NaN of float32 may become any number", "[cast_policy]") {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double other : {0.0, 5.0, nan}) {
    const Operation differs{[other](const td::TensorList& a) {
      return a[0].scalar_type() == td::kFloat32 ? a[0] * 1
                                                : floats({1, other, other}).to(a[0].scalar_type());
    }};
    expect_policy(differs, {{floats({1, inf, nan})}}, td::kFloat16, Policy::kUnlisted,
                  "1, inf and NaN, of which the last two become " + std::to_string(other));
  }
}

TEST_CASE("the trials are not recorded by autograd", "[cast_policy]") {
  int recorded = 0;
  const Operation watched{[&](const td::TensorList& a) {
    td::Tensor result = a[0] * 2;
    recorded += result.requires_grad();
    return result;
  }};
  choose_policy(watched, {{floats({1, 2}).requires_grad_()}}, td::kFloat16, 0.01);
  check::expect(recorded == 0, "autograd recorded " + std::to_string(recorded) +
                                   " runs of the operation with a sample that requires grad: run "
                                   "it under a NoGradGuard");
}
