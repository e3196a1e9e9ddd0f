// Indexing with braces: index() and index_put_(), against loops, and libtorch's rules on where the
// chosen dimensions stand.
#include "../tensor/values.h"
#include "catch.h"
#include "suite.h"

using namespace suite;
using namespace td::indexing;
using td::Tensor;
using td::TensorList;
using List = std::vector<double>;
using Ints = std::vector<std::int64_t>;

namespace {

// 0, 1, 2, ... in sizes [2, 3, 4]: each value shows its original index.
Tensor numbered(td::Device device = td::kCPU) {
  return td::arange(24, td::kFloat).reshape({2, 3, 4}).to(device);
}

Ints sizes_of(const Tensor& t) { return t.sizes().vec(); }

std::size_t row(double index, std::int64_t n) {
  return static_cast<std::size_t>(index < 0 ? index + static_cast<double>(n) : index);
}

}  // namespace

TEST_CASE("index and index_put_ with index tensors, against loops") {
  const Tensor index = td::tensor({{2, -1}, {0, 2}});
  // x [3, 4] at rows `index` [2, 2]: [2, 2, 4].
  check_operation({"index",
                   {"input", "indices"},
                   {spread({3, 4}), index},
                   [](const TensorList& x) { return x[0].index({x[1]}); },
                   [](const std::vector<Array>& in) {
                     Array y{{in[1].size(0), in[1].size(1), 4}, {}};
                     for (const double i : in[1].values)
                       for (std::size_t j = 0; j < 4; ++j)
                         y.values.push_back(in[0].values[row(i, 3) * 4 + j]);
                     return y;
                   },
                   {spread({3, 4}), td::zeros({0, 2}, td::kLong)}});
  const auto put = [](bool add) {
    return [add](const std::vector<Array>& in) {
      Array y = in[0];
      for (std::size_t k = 0; k < in[1].values.size(); ++k)
        for (std::size_t i = 0; i < 3; ++i) {
          double& to = y.values[i * 4 + row(in[1].values[k], 4)];
          to = add ? to + in[2].values[k] : in[2].values[k];
        }
      return y;
    };
  };
  // Columns of x [3, 4], the same value for all rows; repeated columns add up.
  check_operation({"index_put_",
                   {"input", "indices", "values"},
                   {spread({3, 4}), td::tensor({1, 3, 1}), spread({3}, -1, 1, 2)},
                   [](const TensorList& x) {
                     return x[0].clone().index_put_({Slice(), x[1]}, x[2], true);
                   },
                   put(true)});
  check_operation({"index_put_",
                   {"input", "indices", "values"},
                   {spread({3, 4}), td::tensor({1, -1}), spread({2}, -1, 1, 2)},
                   [](const TensorList& x) {
                     return x[0].clone().index_put_({Slice(), x[1]}, x[2]);
                   },
                   put(false)});
}

TEST_CASE("numbers, slices, None and ... make views") {
  for (const td::Device device : devices()) {
    INFO(device);
    const Tensor x = numbered(device);
    CHECK(values(x.index({1, 2})) == List{20, 21, 22, 23});
    CHECK(values(x.index({Slice(), -1, Slice(None, None, 3)})) == List{8, 11, 20, 23});
    CHECK(values(x.index({"...", 0})) == List{0, 4, 8, 12, 16, 20});
    CHECK(sizes_of(x.index({0, None, Ellipsis, Slice(1, 3)})) == Ints{1, 3, 2});
    CHECK(sizes_of(x.index({None, "...", None})) == Ints{1, 2, 3, 4, 1});
    x.index({1, Slice(), 0}).fill_(-1);
    CHECK(values(x.select(0, 1).select(1, 0)) == List{-1, -1, -1});
  }
}

TEST_CASE("the position of indexed dimensions in the result") {
  const Tensor x = numbered(), two = td::tensor({1, 0}), column = td::tensor({{0}, {2}});
  // Neighbors: in their position. Apart: at the front. Broadcast together first.
  CHECK(sizes_of(x.index({Slice(), column, two})) == Ints{2, 2, 2});
  CHECK(sizes_of(x.index({td::tensor({{0}, {1}}), two})) == Ints{2, 2, 4});
  CHECK(sizes_of(x.index({two, Slice(), two})) == Ints{2, 3});
  CHECK(sizes_of(x.index({Slice(), td::tensor({2, 1, 0, 0, 1})})) == Ints{2, 5, 4});
  CHECK(sizes_of(x.index({two, None, two})) == Ints{2, 1, 4});
  CHECK(sizes_of(x.index({0, Slice(), two})) == Ints{3, 2});
  CHECK(values(x.index({two, Slice(), two})) == List{13, 17, 21, 0, 4, 8});
  CHECK(values(x.index({Slice(), column, two})) == List{1, 0, 9, 8, 13, 12, 21, 20});
}

TEST_CASE("masks select where they are true; true and false keep all or nothing") {
  for (const td::Device device : devices()) {
    INFO(device);
    const Tensor x = numbered(device);
    CHECK(values(x.index({x > 20})) == List{21, 22, 23});
    const Tensor rows = td::tensor({true, false, true}).to(device);
    CHECK(values(x.index({0, rows, 1})) == List{1, 9});
    CHECK(sizes_of(x.index({Slice(), rows})) == Ints{2, 2, 4});
    CHECK(sizes_of(x.index({true})) == Ints{1, 2, 3, 4});
    CHECK(sizes_of(x.index({false})) == Ints{0, 2, 3, 4});
    CHECK(sizes_of(x[td::tensor(1)]) == Ints{3, 4});
    Tensor changed = x.clone();
    changed.index_put_({x > 20}, -1).index_put_({0, rows}, td::arange(4, td::kFloat).to(device));
    CHECK(values(changed.flatten().slice(0, 0, 9)) == List{0, 1, 2, 3, 4, 5, 6, 7, 0});
    CHECK(values(changed.flatten().slice(0, 20)) == List{20, -1, -1, -1});
  }
}

TEST_CASE("index_put_ writes into strided memory, and the gradient follows") {
  const Tensor leaf_of = leaf({1, 2, 3, 4, 5, 6}, {2, 3}), fill = leaf({7, 8}, {2});
  Tensor y = leaf_of * 2;
  y.t().index_put_({td::tensor({0, 2}), 1}, fill);
  CHECK(values(y) == List{2, 4, 6, 7, 10, 8});
  (y * td::arange(6, td::kFloat).reshape({2, 3})).sum().backward();
  CHECK(values(leaf_of.grad()) == List{0, 2, 4, 0, 8, 0});
  CHECK(values(fill.grad()) == List{3, 5});
  Tensor z = td::zeros({2, 3});
  z.index_put_({1, Slice(1, None)}, td::ones({1, 1, 2}, td::kDouble));  // a copy: types convert
  CHECK(values(z) == List{0, 0, 0, 0, 1, 1});
}

TEST_CASE("values with leading ones fit whatever the indices are, as libtorch has it") {
  const Tensor six = td::arange(6, td::kFloat);
  for (const td::Device device : devices()) {
    const auto put = [&](const std::vector<td::indexing::TensorIndex>& at, const Tensor& source) {
      return td::zeros({1, 2, 3}, td::TensorOptions(device)).index_put_(at, source.to(device));
    };
    const Tensor source = six.reshape({1, 1, 2, 3}), zero = td::tensor({0}).to(device);
    const List all = values(six);
    CHECK(values(put({zero}, source)) == all);
    CHECK(values(put({zero}, source.reshape({1, 1, 1, 1, 2, 3}))) == all);
    CHECK(values(put({0, td::tensor({0, 1}).to(device)}, source)) == all);
    CHECK(values(put({td::tensor({0, 0}).to(device)}, source)) == all);
    const Tensor mask = td::ones({1, 2, 3}, td::TensorOptions(td::kBool).device(device));
    CHECK(values(put({mask}, six.reshape({1, 1, 6}))) == all);
    CHECK(values(put({td::logical_not(mask)}, td::ones({1, 0}))) == List(6, 0));
    CHECK(values(put({true}, source.reshape({1, 1, 1, 2, 3}))) == all);
  }
  const Tensor fill = leaf({1, 2, 3}, {1, 1, 3});
  Tensor y = td::zeros({2, 3});
  y.index_put_({td::tensor({1})}, fill);
  (y * td::arange(6, td::kFloat).reshape({2, 3})).sum().backward();
  CHECK(values(fill.grad()) == List{3, 4, 5});
  CHECK(sizes_of(fill.grad()) == Ints{1, 1, 3});
  CHECK(message<td::ShapeError>([&] {
          td::zeros({1, 2, 3}).index_put_({td::tensor({0})}, td::ones({2, 1, 2, 3}));
        }).find("index_put_") == 0);
}

TEST_CASE("a 0-dimensional index of int32 or int64 is a number; a larger one must be int64") {
  for (const td::Device device : devices()) {
    const Tensor x = numbered(device);
    for (const td::ScalarType type : {td::kInt, td::kLong}) {
      const Tensor one = td::tensor(1).to(device, type), back = td::tensor(-1).to(device, type);
      CHECK(values(x.index({one, back, one})) == List{21});
      CHECK(sizes_of(x.index({Slice(), one})) == Ints{2, 4});
      CHECK(x.index({one}).data_ptr() != nullptr);
      Tensor y = td::zeros({3}, td::TensorOptions(device));
      y.index_put_({back}, 5);
      CHECK(values(y) == List{0, 0, 5});
    }
    const Tensor some = td::tensor({0, 1}).to(device, td::kInt);
    for (const Tensor& index : {some, some.slice(0, 0, 0), some.reshape({1, 2})}) {
      const Tensor got = x.index({index}), expected = x.index({index.to(td::kLong)});
      CHECK(got.sizes() == expected.sizes());
      CHECK(values(got) == values(expected));
    }
  }
}

TEST_CASE("invalid indices are errors that name them") {
  const Tensor x = numbered();
  CHECK(message<td::ShapeError>([&] {
          x.index({0, 0, 0, 0});
        }) == "index: 4 indices for a 3-dimensional tensor");
  CHECK(message<td::ShapeError>([&] { x.index({td::tensor({2})}); }) ==
        "index: index 2 is out of range; expected -2 to 1");
  CHECK(message<td::ShapeError>([&] { x.index({td::tensor({-3})}); }) ==
        "index: index -3 is out of range; expected -2 to 1");
  CHECK(message<td::ShapeError>([&] {
          x.index({0, 5});
        }) == "index: index 5 is out of range for dimension 1 of size 3");
  CHECK(message<td::ShapeError>([&] {
          x.index({None, Slice(), 0, td::tensor(-5)});
        }) == "index: index -5 is out of range for dimension 2 of size 4");
  CHECK(message<td::ShapeError>([&] {
          x.index({"...", 4});
        }) == "index: index 4 is out of range for dimension 2 of size 4");
  CHECK(message<td::ShapeError>([&] { x.index_put_({2}, 1); }) ==
        "index_put_: index 2 is out of range for dimension 0 of size 2");
  CHECK(message<td::ShapeError>([&] {
          x.index({0, td::tensor({true, false})});
        }) == "index: a mask of sizes [2] does not fit dimension 1 of size 3");
  CHECK(message<td::Error>([&] { x.index({}); }) ==
        "index: there are no indices; give at least one, or \"...\" for the whole tensor");
  CHECK(message<td::Error>([&] { x.index_put_({}, 1); }) ==
        "index_put_: there are no indices; give at least one, or \"...\" for the whole tensor");
  CHECK(message<td::DtypeError>([&] { x.index({td::zeros({1})}); }) ==
        "index: an index tensor must be int64, int32 or bool but is float32; convert it with "
        "to(kInt64)");
  CHECK(message<td::ShapeError>([&] {
          x.index({td::tensor({true, false, true})});
        }) == "index: a mask of sizes [3] does not fit dimension 0 of size 2");
  CHECK(message<td::Error>([&] { x.index({".."}); }) == "index: expected \"...\" but got \"..\"");
  CHECK(message<td::DtypeError>([&] {
          x.index_put_({td::tensor({0})}, td::zeros({3, 4}, td::kDouble));
        }) ==
        "index_put_: \"values\" is float64 but \"input\" is float32; convert it with to(dtype)");
  CHECK(message<td::ShapeError>([&] {
          x.index_put_({td::tensor({0})}, td::zeros({5}));
        }).find("index_put_") == 0);
}
