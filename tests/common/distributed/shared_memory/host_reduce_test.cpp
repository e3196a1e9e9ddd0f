// The arithmetic of all_reduce, for every type and operation, against plain loops in float64.
#include <cmath>
#include <limits>
#include <numeric>

#include "catch.h"
#include "distributed/transport/transport.h"
#include "td/td.h"

using namespace td;
using namespace td::distributed;

namespace {

const ReduceOp kAllOps[] = {ReduceOp::SUM, ReduceOp::AVG, ReduceOp::PRODUCT, ReduceOp::MIN,
                            ReduceOp::MAX};

double combine(ReduceOp op, double a, double b) {
  switch (op) {
    case ReduceOp::PRODUCT:
      return a * b;
    case ReduceOp::MIN:
      return std::min(a, b);
    case ReduceOp::MAX:
      return std::max(a, b);
    default:
      return a + b;
  }
}

// Numbers that the type can hold, of both signs where it has signs.
Tensor numbers(int array, std::int64_t n, ScalarType dtype) {
  Tensor t = empty({n}, kDouble);
  for (std::int64_t i = 0; i < n; ++i) {
    double v = std::sin(static_cast<double>(i * 5 + array * 17 + 1)) * 3;
    if (!is_floating_point(dtype)) v = std::round(std::abs(v));
    t.data_ptr<double>()[i] = dtype == kBool ? (i + array) % 3 == 0 : v;
  }
  return t.to(dtype);
}

// How far a result may be from the one in float64: the roundings of the type it was summed in and
// of the type it is stored in.
double allowed(ScalarType dtype, int count, double magnitude) {
  const double stored = dtype == kHalf       ? 0x1p-11
                        : dtype == kBFloat16 ? 0x1p-8
                        : dtype == kFloat    ? 0x1p-24
                        : dtype == kDouble   ? 0x1p-52
                                             : 0;
  const double summed = is_floating_point(dtype) && dtype != kDouble ? 0x1p-24 : 0x1p-52;
  return is_floating_point(dtype) ? (stored + (count + 1) * summed) * magnitude : 0;
}

std::string first_fault(ScalarType dtype, ReduceOp op, int count, std::int64_t n, int alias) {
  std::vector<Tensor> tensors, references;
  std::vector<const void*> arrays;
  for (int a = 0; a < count; ++a) {
    tensors.push_back(numbers(a, n, dtype));
    references.push_back(tensors.back().to(kDouble, false, true));
    arrays.push_back(tensors.back().data_ptr());
  }
  Tensor result = alias < 0 ? empty({n}, dtype) : tensors[alias];
  reduce_all(result.data_ptr(), arrays.data(), count, n, dtype, op);
  const Tensor got = result.to(kDouble);
  for (std::int64_t i = 0; i < n; ++i) {
    double expected = references[0].data_ptr<double>()[i], magnitude = std::abs(expected);
    for (int a = 1; a < count; ++a) {
      const double next = references[a].data_ptr<double>()[i];
      expected = combine(op, expected, next);
      magnitude = op == ReduceOp::PRODUCT ? std::abs(expected) : magnitude + std::abs(next);
    }
    if (op == ReduceOp::AVG) expected /= count;
    if (dtype == kBool) expected = expected != 0;
    if (!(std::abs(got.data_ptr<double>()[i] - expected) <= allowed(dtype, count, magnitude)))
      return "element " + std::to_string(i) + " is " + std::to_string(got.data_ptr<double>()[i]) +
             ", expected " + std::to_string(expected);
  }
  return {};
}

}  // namespace

TEST_CASE("elements of several ranks become one, in every type and operation") {
  for (const ScalarType dtype : {kByte, kInt, kLong, kHalf, kFloat, kDouble, kBool, kBFloat16})
    for (const ReduceOp op : kAllOps) {
      if (op == ReduceOp::AVG && !is_floating_point(dtype)) continue;
      for (const int count : {1, 2, 3, 5})
        for (const std::int64_t n : {0, 1, 33, 2500})
          for (const int alias : {-1, 0, count - 1}) {
            INFO(dtype << ' ' << reduce_name(op) << " of " << count << " x " << n
                       << ", result is array " << alias);
            CHECK(first_fault(dtype, op, count, n, alias) == "");
          }
    }
}

TEST_CASE("NaN of any rank reaches the minimum and the maximum") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const ReduceOp op : {ReduceOp::MIN, ReduceOp::MAX})
    for (const int count : {2, 3})
      for (int who = 0; who < count; ++who) {
        std::vector<std::vector<float>> data(static_cast<std::size_t>(count),
                                             std::vector<float>(33, 1.f));
        data[who][32] = data[who][0] = nan;
        std::vector<const void*> arrays;
        for (auto& array : data) arrays.push_back(array.data());
        std::vector<float> result(33);
        reduce_all(result.data(), arrays.data(), count, 33, kFloat, op);
        INFO(reduce_name(op) << " of " << count << ", NaN from " << who);
        CHECK(std::isnan(result[0]));
        CHECK(std::isnan(result[32]));
        CHECK(result[1] == 1.f);
      }
}

TEST_CASE("the average is bitwise identical to a division") {
  for (const int count : {2, 3, 4, 7}) {
    std::vector<std::vector<float>> data(static_cast<std::size_t>(count), std::vector<float>(1000));
    std::vector<const void*> arrays;
    for (int a = 0; a < count; ++a) {
      for (int i = 0; i < 1000; ++i) data[a][i] = std::cos(static_cast<float>(i * count + a));
      arrays.push_back(data[a].data());
    }
    std::vector<float> result(1000);
    reduce_all(result.data(), arrays.data(), count, 1000, kFloat, ReduceOp::AVG);
    int different = 0;
    for (int i = 0; i < 1000; ++i) {
      volatile float sum = data[0][i];  // rounded after every step
      for (int a = 1; a < count; ++a) sum = sum + data[a][i];
      if (!(result[i] == sum / static_cast<float>(count))) ++different;
    }
    INFO(count << " ranks");
    CHECK(different == 0);
  }
}
