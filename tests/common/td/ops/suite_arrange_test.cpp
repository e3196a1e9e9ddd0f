// The operation suite over ops/sort and ops/views: order, running products, and elements at other
// places.
#include <algorithm>
#include <cmath>
#include <limits>

#include "../tensor/values.h"
#include "catch.h"
#include "suite.h"

using namespace suite;
using td::Scalar;
using td::Tensor;
using td::TensorList;
using List = std::vector<double>;

namespace {

// Each row of x [rows, n] sorted by moving elements one by one, together with their indices.
std::vector<std::pair<double, double>> sorted_rows(const Array& x, bool descending) {
  std::vector<std::pair<double, double>> all;
  const auto n = static_cast<std::size_t>(x.size(1));
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    const std::size_t start = i / n * n;
    std::size_t at = i;
    const auto before = [&](double a, double b) { return descending ? a > b : a < b; };
    while (at > start && before(x.values[i], all[at - 1].first)) --at;
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(at),
               {x.values[i], static_cast<double>(i - start)});
  }
  return all;
}

// The first k columns of the sorted rows: values or places.
Reference sorted(bool descending, std::int64_t k, bool places) {
  return [=](const std::vector<Array>& in) {
    const auto all = sorted_rows(in[0], descending);
    Array y{{in[0].size(0), k}, {}};
    for (std::size_t i = 0; i < all.size(); ++i)
      if (static_cast<std::int64_t>(i) % in[0].size(1) < k)
        y.values.push_back(places ? all[i].second : all[i].first);
    return y;
  };
}

// result[i][j] = pick(x, i, j), where a negative place means 0.
Reference picked(
    const std::function<std::int64_t(const Array&, std::int64_t, std::int64_t)>& pick) {
  return [=](const std::vector<Array>& in) {
    Array y = in[0];
    for (std::int64_t i = 0; i < y.size(0); ++i)
      for (std::int64_t j = 0; j < y.size(1); ++j) {
        const std::int64_t from = pick(in[0], i, j);
        y.values[static_cast<std::size_t>(i * y.size(1) + j)] =
            from < 0 ? 0 : in[0].values[static_cast<std::size_t>(from)];
      }
    return y;
  };
}

Array running(const Array& x, double (*combine)(double, double)) {
  Array y = x;  // along the rows of [rows, n]
  const auto n = static_cast<std::size_t>(x.size(1));
  for (std::size_t i = 0; i < y.values.size(); ++i)
    if (i % n) y.values[i] = combine(y.values[i - 1], x.values[i]);
  return y;
}

}  // namespace

TEST_CASE("sort, argsort, topk") {
  const TensorList x{spread({3, 5})}, nothing{spread({0, 5})};
  check_operation({"sort",
                   {"input"},
                   x,
                   [](const TensorList& in) { return std::get<0>(sort(in[0], 1)); },
                   sorted(false, 5, false),
                   nothing});
  check_operation({"sort",
                   {"input"},
                   x,
                   [](const TensorList& in) { return std::get<0>(sort(in[0].t(), 0, true)).t(); },
                   sorted(true, 5, false)});
  Sample places{"argsort",
                {"input"},
                x,
                [](const TensorList& in) { return argsort(in[0], -1, true); },
                sorted(true, 5, true),
                nothing};
  places.gradient = false;
  places.result = td::kLong;
  check_operation(places);
  for (const bool largest : {true, false})
    check_operation({"topk",
                     {"input"},
                     x,
                     [=](const TensorList& in) { return std::get<0>(topk(in[0], 2, 1, largest)); },
                     sorted(largest, 2, false),
                     nothing});
}

TEST_CASE("order: NaN is the largest, equal elements keep their order, every type, long rows") {
  for (const td::Device device : devices()) {
    INFO(device);
    const Tensor x = of({2, NAN, 1, 2, -INFINITY}, device);
    CHECK(values(argsort(x)) == List{4, 2, 0, 3, 1});
    CHECK(values(argsort(x, 0, true)) == List{1, 0, 3, 2, 4});
    CHECK(values(std::get<1>(topk(x, 2))) == List{1, 0});
    CHECK(values(std::get<0>(td::tensor({true, false, true}).to(device).sort())) == List{0, 1, 1});
    CHECK(values(std::get<1>(td::tensor({9, -3}, td::kByte).to(device).sort())) == List{0, 1});
    CHECK(values(std::get<1>(td::tensor({9, -3}).to(device).sort(true, 0, true))) == List{0, 1});
    CHECK(std::get<0>(td::tensor(3.f).to(device).sort()).dim() == 0);
    // Longer than any block, with many equal elements: compared with the standard library.
    const std::int64_t n = 10007;
    const Tensor numbers = td::arange(n).remainder(97).mul(31).remainder(89);
    std::vector<std::int64_t> expected(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<std::int64_t>(i);
    const std::int64_t* data = numbers.data_ptr<std::int64_t>();
    std::stable_sort(expected.begin(), expected.end(),
                     [data](std::int64_t a, std::int64_t b) { return data[a] < data[b]; });
    CHECK(argsort(numbers.to(device)).cpu().equal(td::tensor(expected)));
    const auto [smallest, at] = topk(numbers.to(device), 100, 0, false);
    CHECK(at.cpu().equal(td::tensor(expected).narrow(0, 0, 100)));
  }
}

TEST_CASE("running sums and products, and the gradient where elements are 0") {
  const TensorList nothing{spread({0, 3})};
  check_operation({"cumsum",
                   {"input"},
                   {spread({3, 4})},
                   [](const TensorList& x) { return cumsum(x[0], 1); },
                   [](const std::vector<Array>& x) {
                     return running(x[0], [](double a, double b) { return a + b; });
                   },
                   nothing});
  const Reference products = [](const std::vector<Array>& x) {
    return running(x[0], [](double a, double b) { return a * b; });
  };
  const Function run = [](const TensorList& x) { return cumprod(x[0], 1); };
  check_operation({"cumprod", {"input"}, {spread({3, 4})}, run, products, nothing});
  const Tensor zeros_in = spread({3, 4}) * td::tensor({{1, 0, 1, 1}, {1, 1, 1, 1}, {0, 1, 0, 1}});
  check_operation({"cumprod", {"input"}, {zeros_in}, run, products});
  CHECK(cumprod(td::tensor({true, true}), 0).dtype() == td::kLong);
  CHECK(values(cumprod(td::tensor({2, 3, 4}), 0)) == List{2, 6, 24});
  CHECK(values(cumprod(td::tensor(2.f), 0)) == List{2});
}

TEST_CASE("flip, roll, tril, triu") {
  const TensorList x{spread({3, 4})}, nothing{spread({0, 4})};
  const auto on = [](Tensor (*f)(const Tensor&)) {
    return [f](const TensorList& in) { return f(in[0]); };
  };
  check_operation(
      {"flip",
       {"input"},
       x,
       on([](const Tensor& t) { return flip(t, 1); }),
       picked([](const Array&, std::int64_t i, std::int64_t j) { return i * 4 + 3 - j; }),
       nothing});
  check_operation({"roll",
                   {"input"},
                   x,
                   on([](const Tensor& t) {
                     return roll(t, {1, -5}, {0, 1});
                   }),
                   picked([](const Array&, std::int64_t i, std::int64_t j) {
                     return (i + 2) % 3 * 4 + (j + 5) % 4;
                   }),
                   nothing});
  check_operation(
      {"roll",
       {"input"},
       x,
       on([](const Tensor& t) { return roll(t, 2); }),
       picked([](const Array&, std::int64_t i, std::int64_t j) { return (i * 4 + j + 10) % 12; })});
  check_operation({"tril",
                   {"input"},
                   x,
                   on([](const Tensor& t) { return tril(t, 1); }),
                   picked([](const Array&, std::int64_t i, std::int64_t j) {
                     return j <= i + 1 ? i * 4 + j : -1;
                   }),
                   nothing});
  check_operation({"triu",
                   {"input"},
                   x,
                   on([](const Tensor& t) { return triu(t, -1); }),
                   picked([](const Array&, std::int64_t i, std::int64_t j) {
                     return j >= i - 1 ? i * 4 + j : -1;
                   }),
                   nothing});
}

TEST_CASE("tril and triu: batches of strided matrices, any diagonal, and no NaN is left") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const td::Device device : devices())
    for (const std::int64_t columns : {1, 3, 8, 21})
      for (const std::int64_t diagonal : {-30, -2, 0, 1, 19, 30}) {
        INFO(device << ", " << columns << " columns, diagonal " << diagonal);
        const Tensor x = td::arange(2 * 5 * columns, td::kDouble).reshape({2, columns, 5}) + 1;
        const Tensor strided = x.to(device).transpose(1, 2);  // [2, 5, columns]
        const Tensor low = tril(strided, diagonal), high = triu(strided * nan, diagonal);
        const List lower = values(low);
        const Tensor kept = high.isnan();
        const List upper = values(kept);
        bool all_right = true;
        for (std::int64_t i = 0; i < 2 * 5 * columns; ++i) {
          const std::int64_t matrix = i / (5 * columns), row = i / columns % 5,
                             column = i % columns;
          const double own = static_cast<double>(matrix * 5 * columns + column * 5 + row + 1);
          const auto at = static_cast<std::size_t>(i);
          all_right &= lower[at] == (column <= row + diagonal ? own : 0);
          all_right &= upper[at] == (column >= row + diagonal ? 1 : 0);
        }
        CHECK(all_right);
      }
}

TEST_CASE("diag of vectors and matrices") {
  check_operation({"diag",
                   {"input"},
                   {spread({3})},
                   [](const TensorList& x) { return diag(x[0], -1); },
                   [](const std::vector<Array>& x) {
                     Array y{{4, 4}, List(16, 0)};
                     for (std::size_t i = 0; i < 3; ++i) y.values[(i + 1) * 4 + i] = x[0].values[i];
                     return y;
                   }});
  check_operation({"diag",
                   {"input"},
                   {spread({3, 4})},
                   [](const TensorList& x) { return diag(x[0], 2); },
                   [](const std::vector<Array>& x) {
                     return Array{{2}, {x[0].values[2], x[0].values[7]}};
                   }});
  CHECK(diag(td::zeros({3, 4}), 4).sizes() == td::IntArrayRef({0}));
  CHECK(diag(td::zeros({0})).sizes() == td::IntArrayRef({0, 0}));
  CHECK(tril(td::ones({2, 2, 2}, td::kBool)).dtype() == td::kBool);
}

TEST_CASE("invalid arguments of sorting and scans are errors that name them") {
  const Tensor x = td::zeros({2, 3});
  CHECK(message<td::ShapeError>([&] { topk(x, 4); }) ==
        "topk: k is 4 but dimension 1 has 3 elements; k must lie between 0 and that");
  CHECK(message<td::ShapeError>([&] { tril(td::zeros({3})); }) ==
        "tril: expected at least 2 dimensions but \"input\" has sizes [3]");
  CHECK(message<td::ShapeError>([&] { diag(x, 5); }) ==
        "diag: a matrix of sizes [2, 3] has no diagonal 5");
  CHECK(message<td::ShapeError>([&] {
          roll(x, {1, 2}, {0});
        }) == "roll: 2 shifts but 1 dimensions");
  CHECK(message<td::ShapeError>([&] {
          roll(x, {1, 2});
        }) == "roll: 2 shifts but no dimensions; name one for each shift");
  CHECK(message<td::ShapeError>([&] {
          flip(x, {0, -2});
        }) == "flip: dimension 0 appears twice in [0, -2]");
}
