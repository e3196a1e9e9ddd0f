// The operation suite over reductions and row programs, and what is special about them: NaN, ties,
// accuracy of long sums, integers, several threads.
#include <cmath>
#include <limits>
#include <numeric>

#include "../tensor/values.h"
#include "catch.h"
#include "suite.h"
#include "td/base/parallel.h"

using namespace suite;
using td::IntArrayRef;
using td::Scalar;
using td::Tensor;
using td::TensorList;
using Group = std::vector<double>;

namespace {

double total(const Group& g) { return std::accumulate(g.begin(), g.end(), 0.0); }
double average(const Group& g) { return total(g) / static_cast<double>(g.size()); }
double product(const Group& g) {
  return std::accumulate(g.begin(), g.end(), 1.0, std::multiplies<>());
}
double largest(const Group& g) { return *std::max_element(g.begin(), g.end()); }
double smallest(const Group& g) { return *std::min_element(g.begin(), g.end()); }
double variance(const Group& g) {
  double squares = 0;
  for (double x : g) squares += (x - average(g)) * (x - average(g));
  return squares / static_cast<double>(g.size() - 1);
}
double log_sum_exp(const Group& g) {
  double sum = 0;
  for (double x : g) sum += std::exp(x);
  return std::log(sum);
}
double order_norm(const Group& g, double p) {
  double sum = 0;
  for (double x : g) sum += std::pow(std::fabs(x), p);
  return std::pow(sum, 1 / p);
}
double largest_magnitude(const Group& g) {
  double m = 0;
  for (double x : g) m = std::max(m, std::fabs(x));
  return m;
}

using Combine = std::function<double(const Group&)>;
// `run` takes dims and keepdim; every way of choosing dimensions is tried.
void check_reduction(const std::string& name, const Combine& combine,
                     const std::function<Tensor(const Tensor&, IntArrayRef, bool)>& run,
                     bool with_empty = true) {
  const std::vector<std::vector<std::int64_t>> choices{{}, {0}, {1}, {2}, {0, 2}, {-1, 0, 1}};
  for (const auto& dims : choices) {
    for (const bool keepdim : {false, true}) {
      INFO(name << " over " << IntArrayRef(dims) << (keepdim ? ", keepdim" : ""));
      std::vector<std::size_t> positive;
      for (std::int64_t d : dims) positive.push_back(static_cast<std::size_t>(d < 0 ? d + 3 : d));
      check_operation(
          {name,
           {"input"},
           {spread({2, 3, 4})},
           [&](const TensorList& x) { return run(x[0], dims, keepdim); },
           [&](const std::vector<Array>& x) { return fold(x[0], positive, keepdim, combine); },
           with_empty ? TensorList{spread({2, 0, 4})} : TensorList{}});
    }
  }
}

// References of row programs along the last dimension of [n, c].
Array softmax_rows(const Array& x, bool log) {
  Array y = x;
  const auto c = static_cast<std::size_t>(x.size(1));
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    const Group row(x.values.begin() + static_cast<long>(i / c * c),
                    x.values.begin() + static_cast<long>(i / c * c + c));
    y.values[i] = x.values[i] - log_sum_exp(row);
    if (!log) y.values[i] = std::exp(y.values[i]);
  }
  return y;
}

}  // namespace

TEST_CASE("sums, means, products") {
  check_reduction("sum", total,
                  [](const Tensor& x, IntArrayRef d, bool k) { return sum(x, d, k); });
  check_reduction("mean", average,
                  [](const Tensor& x, IntArrayRef d, bool k) { return mean(x, d, k); });
  for (const std::int64_t dim : {0, 1, 2})
    check_operation({"prod",
                     {"input"},
                     {spread({2, 3, 4}, 0.5, 2)},
                     [&](const TensorList& x) { return prod(x[0], dim); },
                     [&](const std::vector<Array>& x) {
                       return fold(x[0], {std::size_t(dim)}, false, product);
                     },
                     {spread({2, 0, 4})}});
}

TEST_CASE("prod has a gradient where elements are 0") {
  const Tensor x = td::tensor({{2.0, 0.0, 3.0}, {0.0, 5.0, 0.0}}, td::kDouble).requires_grad_();
  td::sum(x.prod(1)).backward();
  CHECK(values(x.grad()) == Group{0, 6, 0, 0, 0, 0});
}

TEST_CASE("largest and smallest elements") {
  check_reduction(
      "amax", largest, [](const Tensor& x, IntArrayRef d, bool k) { return amax(x, d, k); }, false);
  check_reduction(
      "amin", smallest, [](const Tensor& x, IntArrayRef d, bool k) { return amin(x, d, k); },
      false);
  for (const std::int64_t dim : {0, 1, 2})
    check_operation({"max",
                     {"input"},
                     {spread({2, 3, 4})},
                     [&](const TensorList& x) { return std::get<0>(max(x[0], dim)); },
                     [&](const std::vector<Array>& x) {
                       return fold(x[0], {std::size_t(dim)}, false, largest);
                     }});
  check_operation({"min",
                   {"input"},
                   {spread({2, 3, 4})},
                   [](const TensorList& x) { return min(x[0]); },
                   [](const std::vector<Array>& x) {
                     return fold(x[0], {0, 1, 2}, false, smallest);
                   }});
}

TEST_CASE("argmax: first of equals, NaN wins, flattened order of a strided tensor") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const td::Device device : devices()) {
    INFO(device);
    const Tensor x = td::tensor({{1.0, 3.0, 3.0}, {nan, 9.0, nan}}).to(device);
    CHECK(values(x.argmax(1)) == Group{1, 0});
    CHECK(values(x.argmin(1)) == Group{0, 0});
    CHECK(x.argmax().item<std::int64_t>() == 3);
    CHECK(values(td::arange(6).to(device).reshape({2, 3}).t().argmax()) == Group{5});
    CHECK(std::isnan(x.max().item<double>()));
    CHECK(std::isnan(x.min().item<double>()));
    const Tensor tie = td::tensor({2.0, 7.0, 7.0}).to(device).requires_grad_();
    tie.max().backward();
    CHECK(values(tie.grad()) == Group{0, 0.5, 0.5});
    CHECK(td::arange(70000).to(device).argmax().item<std::int64_t>() == 69999);
  }
}

TEST_CASE("spread and size") {
  check_reduction(
      "var", variance, [](const Tensor& x, IntArrayRef d, bool k) { return var(x, d, true, k); },
      false);
  check_reduction(
      "std", [](const Group& g) { return std::sqrt(variance(g)); },
      [](const Tensor& x, IntArrayRef d, bool k) { return td::std(x, d, true, k); }, false);
  check_reduction("logsumexp", log_sum_exp,
                  [](const Tensor& x, IntArrayRef d, bool k) { return logsumexp(x, d, k); });
  for (const double p : {1.0, 2.0, 3.0})
    check_reduction(
        "norm", [p](const Group& g) { return order_norm(g, p); },
        [p](const Tensor& x, IntArrayRef d, bool k) { return norm(x, p, d, k); }, false);
  const double infinity = std::numeric_limits<double>::infinity();
  check_reduction(
      "norm", largest_magnitude,
      [=](const Tensor& x, IntArrayRef d, bool k) { return norm(x, infinity, d, k); }, false);
  for (const double p : {infinity, -infinity})
    CHECK(message<td::ShapeError>([&] {
            norm(td::zeros({0, 3}), p);
          }) ==
          "norm: a tensor of sizes [0, 3] has no element to choose from; check numel() first");
}

TEST_CASE("a number given to var is a dimension, a bool says whether it is unbiased") {
  const Tensor x = td::tensor({{1.0, 3.0}, {5.0, 7.0}});
  CHECK(read(x.var(0)).values == std::vector<double>{8, 8});
  CHECK(read(td::std(x, 1, false)).values == std::vector<double>{1, 1});
  CHECK(read(x.var(false)).values == std::vector<double>{5});
}

TEST_CASE(
    "a variance keeps its digits where the mean is large, and where one element is far away") {
  for (const td::Device device : {td::Device(td::kCPU), td::Device("sim:0")}) {
    const Tensor noise = td::randn({7, 1001});
    const Tensor far = noise + 4096, outlier = noise.clone();
    outlier.select(1, 0).fill_(1e6);
    for (const auto& [x, tolerance] : {std::pair(far, 1e-6), std::pair(outlier, 1e-5)}) {
      const Tensor got = x.to(device).var(1).cpu().to(td::kDouble);
      const Tensor centered = x.to(td::kDouble) - x.to(td::kDouble).mean(1, true);
      const Tensor want = (centered * centered).sum(1) / 1000.0;
      CHECK(((got - want).abs() / want).max().item<double>() < tolerance);
    }
  }
}

TEST_CASE("softmax and log_softmax along any dimension") {
  for (const bool log : {false, true}) {
    const std::string name = log ? "log_softmax" : "softmax";
    const auto run = [log](const Tensor& x, std::int64_t d) {
      return log ? log_softmax(x, d) : softmax(x, d);
    };
    check_operation({name,
                     {"input"},
                     {spread({3, 5})},
                     [&](const TensorList& x) { return run(x[0], -1); },
                     [&](const std::vector<Array>& x) { return softmax_rows(x[0], log); },
                     {spread({0, 5})}});
    // Dimension 0 is the last dimension of the transposed tensor.
    check_operation({name,
                     {"input"},
                     {spread({3, 5})},
                     [&](const TensorList& x) { return run(x[0].t().contiguous(), 0).t(); },
                     [&](const std::vector<Array>& x) { return softmax_rows(x[0], log); }});
  }
  const Tensor large = td::tensor({1000.0, 1001.0});
  CHECK(values(softmax(large, 0))[1] == Approx(1 / (1 + std::exp(-1.0))));
}

TEST_CASE("running sums") {
  check_operation({"cumsum",
                   {"input"},
                   {spread({3, 4})},
                   [](const TensorList& x) { return cumsum(x[0], 1); },
                   [](const std::vector<Array>& x) {
                     Array y = x[0];
                     for (std::size_t i = 0; i < y.values.size(); ++i)
                       if (i % 4) y.values[i] += y.values[i - 1];
                     return y;
                   },
                   {spread({0, 4})}});
}

TEST_CASE("integers and bool add up as int64; any and all") {
  for (const td::Device device : devices()) {
    INFO(device);
    const Tensor bytes = td::full({300}, 200, td::kUInt8).to(device);
    CHECK(bytes.sum().dtype() == td::kLong);
    CHECK(bytes.sum().item<std::int64_t>() == 60000);
    CHECK(bytes.gt(Scalar(0)).sum().item<std::int64_t>() == 300);
    CHECK(td::tensor({2, 3, 7}).to(device).prod().item<std::int64_t>() == 42);
    CHECK(bytes.sum(td::kFloat).dtype() == td::kFloat);
    const Tensor table = td::tensor({{true, false}, {false, false}}).to(device);
    CHECK(values(table.any(1)) == Group{1, 0});
    CHECK(values(table.all(0)) == Group{0, 0});
    CHECK(table.any().item<bool>());
    CHECK_FALSE(table.all().item<bool>());
    CHECK(td::zeros({0}, td::kBool).to(device).all().item<bool>());
    CHECK_FALSE(td::zeros({0}, td::kBool).to(device).any().item<bool>());
  }
}

TEST_CASE("a long float sum is accurate, and bitwise identical on any number of threads") {
  const Tensor x = td::full({1000003}, 0.1f, td::kFloat);
  const double exact = 1000003.0 * static_cast<double>(0.1f);
  CHECK(std::abs(x.sum().item<double>() - exact) / exact < 2e-7);  // added one by one: 1e-3
  const Tensor y = td::arange(1500000).to(td::kFloat).sin();
  const Tensor columns = y.reshape({-1, 6});
  const int width = td::parallel_width();
  std::vector<Group> all;
  for (const int threads : {1, 2}) {
    td::set_parallel_width(threads);
    Group results = values(columns.sum(0));
    results.push_back(y.sum().item<double>());
    all.push_back(results);
  }
  td::set_parallel_width(width);
  CHECK(all[0] == all[1]);
}

TEST_CASE("invalid arguments of reductions are errors that name them") {
  const Tensor x = td::ones({2, 3});
  CHECK(message<td::ShapeError>([&] { x.sum(2); }) ==
        "sum: dimension 2 is out of range for a 2-dimensional tensor; expected -2 to 1");
  CHECK(message<td::ShapeError>([&] {
          x.sum({0, -2});
        }) == "sum: dimension -2 appears twice in [0, -2]");
  CHECK(message<td::DtypeError>([&] { td::arange(3).mean(); }) ==
        "mean: a mean of int64 numbers is not whole; pass the type it is to have, e.g. "
        "mean(kFloat32)");
  CHECK(message<td::ShapeError>([&] { td::zeros({0}).max(); }) ==
        "max: a tensor of sizes [0] has no element to choose from; check numel() first");
  CHECK(std::isnan(td::ones({1}).var(true).item<double>()));
  CHECK(std::isnan(td::ones({0}).mean().item<double>()));
}
