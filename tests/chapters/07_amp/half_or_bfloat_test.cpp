// Tests of half_or_bfloat: the borders of float16, from both sides.
#include <cmath>

#include "gradients.h"
#include "reads.h"

namespace {

void expect_choice(const std::vector<float>& values, td::ScalarType expected,
                   const std::string& what) {
  for (const td::Device device : check::devices()) {
    const td::ScalarType choice = half_or_bfloat(td::tensor(values).to(device));
    check::expect(choice == expected, what + " on " + device.str() + ": expected " +
                                          td::dtype_name(expected) + ", got " +
                                          td::dtype_name(choice));
  }
}

constexpr float kSmallest = 0x1p-24f;  // of float16

}  // namespace

TEST_CASE("values that fit and values that do not", "[half_or_bfloat]") {
  expect_choice({1, 0.001f}, td::kFloat16, "{1, 0.001}");
  expect_choice({1, 70000}, td::kBFloat16, "{1, 70000}");
  expect_choice({1, 1e-8f}, td::kBFloat16, "{1, 1e-8}");
}

TEST_CASE("the largest values", "[half_or_bfloat]") {
  expect_choice({65504}, td::kFloat16, "65504, the largest float16");
  expect_choice({65519, -65519}, td::kFloat16, "65519, which is rounded to 65504");
  expect_choice({65520}, td::kBFloat16, "65520, which is rounded to infinity");
  expect_choice({1, -65520}, td::kBFloat16, "-65520");
  expect_choice({1, -kLargest}, td::kBFloat16, "the largest float32, negative");
}

TEST_CASE("the smallest values", "[half_or_bfloat]") {
  expect_choice({kSmallest, -kSmallest}, td::kFloat16, "2^-24, the smallest float16");
  expect_choice({kSmallest * 0.75f}, td::kFloat16, "0.75 * 2^-24, which is rounded to 2^-24");
  expect_choice({kSmallest * 0.5f}, td::kBFloat16, "2^-25, which is rounded to 0");
  expect_choice({1, -kSmallest * 0.25f}, td::kBFloat16, "-2^-26");
  expect_choice({1, 1e-40f}, td::kBFloat16, "1e-40, a subnormal float32");
}

TEST_CASE("zeros, infinities and NaN do not count as values that do not fit", "[half_or_bfloat]") {
  expect_choice({0, -0.0f, 1}, td::kFloat16, "zeros");
  expect_choice({kInf, -kInf, 2}, td::kFloat16, "infinities");
  expect_choice({kNaN, 2}, td::kFloat16, "NaN");
  expect_choice({kInf, kNaN, 70000}, td::kBFloat16, "70000 beside infinity and NaN");
}

TEST_CASE("one value is enough, wherever it is", "[half_or_bfloat]") {
  for (const std::int64_t n : check::odd_sizes())
    for (const std::int64_t place : {std::int64_t{0}, n / 2, n - 1}) {
      std::vector<float> values = some_values(n);
      const std::string what = std::to_string(n) + " values";
      expect_choice(values, td::kFloat16, what + " between -2 and 2");
      values[static_cast<std::size_t>(place)] = 1e-8f;
      expect_choice(values, td::kBFloat16, what + ", 1e-8 at " + std::to_string(place));
    }
}

TEST_CASE("any sizes, and views", "[half_or_bfloat]") {
  const td::Tensor table = td::tensor({{1.0, 2.0}, {70000.0, 3.0}}).to(td::kFloat32);
  check::expect(half_or_bfloat(table) == td::kBFloat16, "a matrix with 70000 in it");
  check::expect(half_or_bfloat(table.t()) == td::kBFloat16, "its transpose");
  check::expect(half_or_bfloat(table.select(1, 1)) == td::kFloat16, "its second column: 2, 3");
  check::expect(half_or_bfloat(td::empty({0})) == td::kFloat16, "no values at all");
}

TEST_CASE("the host reads the device once at most", "[half_or_bfloat]") {
  const td::Tensor values = td::tensor(some_values(1023)).to("sim:0");
  const int copies = copies_in([&] { half_or_bfloat(values); });
  check::expect(copies <= 1, "the host read the device " + std::to_string(copies) +
                                 " times; let the device decide and read the answer");
}

TEST_CASE("the values do not change, with or without a gradient", "[half_or_bfloat]") {
  const td::Tensor values = td::tensor(std::vector<float>{1.001f, 70000, kInf, 1e-8f});
  const td::Tensor held = values.clone();
  half_or_bfloat(values);
  check::expect_close(values.narrow(0, 0, 2), held.narrow(0, 0, 2), 0, "the values after the call");
  check::expect_close(values.narrow(0, 3, 1), held.narrow(0, 3, 1), 0, "the last value");
  const td::Tensor weight = td::tensor(std::vector<float>{1, 70000}).requires_grad_();
  check::expect(half_or_bfloat(weight) == td::kBFloat16, "a parameter with 70000 in it");
}
