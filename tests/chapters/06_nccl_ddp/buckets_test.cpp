// Tests of assign_buckets, pack_gradients and unpack_gradients.
#include <limits>
#include <sstream>

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

void expect_buckets(const Buckets& actual, const Buckets& expected, const std::string& what) {
  check::expect(actual == expected, what + ": expected " + text_of(expected) + ", got " +
                                        (actual.empty() ? "no bucket" : text_of(actual)));
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

TEST_CASE("a last bucket that is not full is there, too", "[buckets]") {
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

TEST_CASE("unpacked gradients have their shapes back", "[buckets]") {
  for (const td::Device device : check::devices()) {
    const std::vector<td::Tensor> parameters = {parameter_with({2, 3}, 100, device),
                                                parameter_with({31}, kNone, device),
                                                parameter_with({1, 1}, 100, device)};
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
