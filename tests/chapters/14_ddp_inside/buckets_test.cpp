// Tests of assign_buckets, pack_gradients and unpack_gradients.
#include <algorithm>
#include <limits>
#include <sstream>

#include "exercises.h"
#include "ranks.h"

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<td::Tensor> parameters_of(const std::vector<std::int64_t>& numels) {
  std::vector<td::Tensor> all;
  for (const std::int64_t n : numels) all.push_back(td::zeros({n}));
  return all;
}

std::string text_of(const Buckets& buckets) {
  std::ostringstream out;
  for (const auto& bucket : buckets) {
    out << (out.tellp() > 0 ? ", {" : "{");
    for (std::size_t i = 0; i < bucket.size(); ++i) out << (i ? " " : "") << bucket[i];
    out << "}";
  }
  return out.str();
}

// The rule that decides where the two lists differ first.
std::string rule_of(const Buckets& actual, const Buckets& expected) {
  std::vector<std::size_t> got, wanted;
  for (const auto& bucket : actual) got.insert(got.end(), bucket.begin(), bucket.end());
  for (const auto& bucket : expected) wanted.insert(wanted.end(), bucket.begin(), bucket.end());
  std::sort(got.begin(), got.end());
  std::sort(wanted.begin(), wanted.end());
  if (got != wanted) return "every index is in exactly one bucket, also in one that is not full";
  const auto in_order = [](const std::vector<std::size_t>& bucket) {
    return std::is_sorted(bucket.rbegin(), bucket.rend());
  };
  if (!std::all_of(actual.begin(), actual.end(), in_order))
    return "in a bucket the indices fall: backward completes the last parameter first";
  if (std::is_permutation(actual.begin(), actual.end(), expected.begin(), expected.end()))
    return "the bucket that backward completes first comes first: the one whose smallest index is "
           "the largest";
  return "a bucket has one element type, and is closed as soon as it has its cap or more bytes; "
         "the "
         "cap of the first bucket of each type is first_cap";
}

void expect_buckets(const Buckets& actual, const Buckets& expected, const std::string& what) {
  check::expect(actual == expected, what + ": expected " + text_of(expected) + ", got " +
                                        (actual.empty() ? "no bucket" : text_of(actual)) +
                                        ". The rule: " + rule_of(actual, expected));
}

}  // namespace

TEST_CASE("five parameters of 4 bytes, as in the example", "[buckets]") {
  expect_buckets(assign_buckets(parameters_of({1, 1, 1, 1, 1}), 4, 8), {{4}, {3, 2}, {1, 0}},
                 "first_cap 4, cap 8");
}

TEST_CASE("the parameter that reaches the cap is still in the bucket", "[buckets]") {
  // 4, 40, 8, 4, 12 bytes from the last to the first.
  expect_buckets(assign_buckets(parameters_of({3, 1, 2, 10, 1}), 8, 16), {{4, 3}, {2, 1, 0}},
                 "first_cap 8, cap 16");
  expect_buckets(assign_buckets(parameters_of({3, 1, 2, 10, 1}), 4, 12), {{4}, {3}, {2, 1}, {0}},
                 "first_cap 4, cap 12");
}

TEST_CASE("the last bucket may be partly full", "[buckets]") {
  expect_buckets(assign_buckets(parameters_of({1, 1, 1, 1}), 4, 8), {{3}, {2, 1}, {0}},
                 "4 parameters, first_cap 4, cap 8");
  expect_buckets(assign_buckets(parameters_of({1, 1, 1}), 1000, 1000), {{2, 1, 0}},
                 "3 parameters that fill no bucket");
  expect_buckets(assign_buckets({}, 4, 8), {}, "no parameters");
}

TEST_CASE("a bucket holds one element type", "[buckets]") {
  std::vector<td::Tensor> parameters;
  for (const td::ScalarType dtype : {td::kFloat, td::kDouble, td::kFloat, td::kDouble, td::kFloat})
    parameters.push_back(td::zeros({2}, dtype));
  expect_buckets(assign_buckets(parameters, 1000, 1000), {{3, 1}, {4, 2, 0}},
                 "float 8, double 16, float 8, double 16, float 8 bytes in buckets without end");
  expect_buckets(assign_buckets(parameters, 8, 16), {{4}, {3}, {1}, {2, 0}},
                 "the same with first_cap 8, cap 16");
}

TEST_CASE("every parameter is in exactly one bucket, for many sizes", "[buckets]") {
  for (const std::size_t cap : {1u, 64u, 1000u, 4096u}) {
    std::vector<td::Tensor> parameters;
    for (std::int64_t i = 0; i < 200; ++i)
      parameters.push_back(td::zeros({1 + i * 7919 % 97}, i % 5 ? td::kFloat : td::kHalf));
    std::vector<int> seen(parameters.size());
    for (const auto& bucket : assign_buckets(parameters, cap / 2 + 1, cap))
      for (const std::size_t p : bucket) ++seen.at(p);
    for (std::size_t p = 0; p < seen.size(); ++p)
      check::expect(seen[p] == 1, "cap " + std::to_string(cap) + ": parameter " +
                                      std::to_string(p) + " is in " + std::to_string(seen[p]) +
                                      " buckets");
  }
}

TEST_CASE("packed gradients stand one after another", "[buckets]") {
  for (const td::Device device : check::devices()) {
    const td::Tensor matrix = parameter_with({2, 3}, kNone, device);
    matrix.mutable_grad() = td::arange(6).to(td::kFloat).view({3, 2}).t().to(device);
    const std::vector<td::Tensor> parameters = {matrix, parameter_with({2}, kNone, device),
                                                parameter_with({3}, 7, device)};
    const td::Tensor flat = pack_gradients(parameters);
    check::expect_on(flat, device, "the packed gradients");
    check::expect_sizes(flat, {11}, "the packed gradients");
    check::expect_close(check::values(flat), std::vector<double>{0, 2, 4, 1, 3, 5, 0, 0, 7, 7, 7},
                        0, "packed: a transposed gradient, one that is not there, sevens");
  }
}

TEST_CASE("zeros for a missing gradient have the type of the parameter", "[buckets]") {
  const td::Tensor flat = pack_gradients({parameter_with({2, 2}, kNone, td::kDouble)});
  check::expect_dtype(flat, td::kDouble, "packed: a double parameter without a gradient");
  check::expect_close(check::values(flat), std::vector<double>(4, 0), 0,
                      "packed: a double parameter without a gradient");
}

TEST_CASE("unpacked gradients have their shapes back", "[buckets]") {
  for (const td::Device device : check::devices()) {
    const std::vector<td::Tensor> parameters = {
        parameter_with({2, 3}, 100, device), parameter_with({31}, kNone, device),
        parameter_with({0, 5}, kNone, device), parameter_with({1, 1}, 100, device)};
    const td::Tensor flat = td::arange(38).to(td::kFloat).to(device);
    unpack_gradients(flat, parameters);
    std::vector<double> got;
    for (const td::Tensor& parameter : parameters) {
      check::expect(parameter.grad().defined(), "a parameter has no gradient after unpacking");
      check::expect_sizes(parameter.grad(), parameter.sizes().vec(), "an unpacked gradient");
      for (const double v : check::values(parameter.grad())) got.push_back(v);
    }
    check::expect_close(got, check::values(flat), 0, "unpacked gradients on " + device.str());
  }
}

TEST_CASE("a gradient that is not contiguous is written, too", "[buckets]") {
  const td::Tensor parameter = parameter_with({2, 3}, kNone, "cpu");
  parameter.mutable_grad() = td::zeros({3, 2}).t();
  unpack_gradients(td::arange(6).to(td::kFloat), {parameter});
  check::expect_close(parameter.grad(), td::arange(6).to(td::kFloat).view({2, 3}), 0,
                      "the unpacked gradient, which is a transposed tensor");
}

TEST_CASE("the first bucket of each type is closed at first_cap", "[buckets]") {
  std::vector<td::Tensor> parameters;
  for (const td::ScalarType dtype : {td::kFloat, td::kDouble, td::kDouble, td::kFloat})
    parameters.push_back(td::zeros({dtype == td::kFloat ? 2 : 1}, dtype));
  expect_buckets(assign_buckets(parameters, 8, 16), {{3}, {2}, {1}, {0}},
                 "float, double, double, float of 8 bytes each, first_cap 8, cap 16");
}

TEST_CASE("types of the same size are different types, and a parameter may be empty", "[buckets]") {
  std::vector<td::Tensor> parameters;
  for (const td::ScalarType dtype : {td::kHalf, td::kBFloat16, td::kHalf, td::kBFloat16})
    parameters.push_back(td::zeros({2}, dtype));
  expect_buckets(assign_buckets(parameters, 1000, 1000), {{3, 1}, {2, 0}},
                 "float16, bfloat16, float16, bfloat16");
  expect_buckets(assign_buckets(parameters_of({1, 0, 1}), 4, 8), {{2}, {1, 0}},
                 "4, 0 and 4 bytes, first_cap 4, cap 8");
}

TEST_CASE("gradients keep their type, and packing does not change them", "[buckets]") {
  const std::vector<td::Tensor> one = {parameter_with({2, 2}, 3, td::kDouble)};
  const td::Tensor flat = pack_gradients(one);
  check::expect_dtype(flat, td::kDouble, "the packed gradient of a double parameter");
  check::expect(!flat.requires_grad(), "the packed gradients are recorded by autograd");
  td::Tensor(flat).fill_(9);
  unpack_gradients(flat, one);
  check::expect_dtype(one[0].grad(), td::kDouble, "the unpacked gradient of a double parameter");
  check::expect_sizes(one[0].grad(), {2, 2}, "an unpacked gradient");
  check::expect_close(check::values(one[0].grad()), std::vector<double>{9, 9, 9, 9}, 0,
                      "one parameter, packed, changed and unpacked");
}
