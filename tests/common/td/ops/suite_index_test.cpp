// The operation suite over selection and joining, and what is special about them: equal indices,
// indices that do not exist, sizes that are data.
#include "../tensor/values.h"
#include "catch.h"
#include "suite.h"

using namespace suite;
using td::Scalar;
using td::Tensor;
using td::TensorList;
using List = std::vector<double>;

namespace {

std::size_t at(double index) { return static_cast<std::size_t>(index); }

// x [rows, n], index [rows, m]: y[i][j] = x[i][index[i][j]].
Array gather_rows(const std::vector<Array>& in) {
  Array y = in[1];
  const std::size_t n = at(static_cast<double>(in[0].size(1))),
                    m = at(static_cast<double>(in[1].size(1)));
  for (std::size_t i = 0; i < y.values.size(); ++i)
    y.values[i] = in[0].values[i / m * n + at(in[1].values[i])];
  return y;
}

// self [rows, n], index and source [rows, m].
Array scatter_rows(const std::vector<Array>& in, bool add) {
  Array y = in[0];
  const std::size_t n = at(static_cast<double>(y.size(1))),
                    m = at(static_cast<double>(in[1].size(1)));
  for (std::size_t i = 0; i < in[1].values.size(); ++i) {
    double& to = y.values[i / m * n + at(in[1].values[i])];
    to = add ? to + in[2].values[i] : in[2].values[i];
  }
  return y;
}

Array select_rows(const std::vector<Array>& in) {
  const std::size_t width = at(static_cast<double>(in[0].size(1)));
  Array y{{static_cast<std::int64_t>(in[1].values.size()), in[0].size(1)}, {}};
  for (double row : in[1].values)
    for (std::size_t j = 0; j < width; ++j) y.values.push_back(in[0].values[at(row) * width + j]);
  return y;
}

}  // namespace

TEST_CASE("index_select and index_add") {
  const Tensor index = td::tensor({2, 0, 2});
  check_operation({"index_select",
                   {"input", "index"},
                   {spread({4, 3}), index},
                   [](const TensorList& x) { return index_select(x[0], 0, x[1]); },
                   select_rows,
                   {spread({4, 0}), index}});
  check_operation({"index_select",
                   {"input", "index"},
                   {spread({4, 3}), index},
                   [](const TensorList& x) { return index_select(x[0].t(), 1, x[1]).t(); },
                   select_rows});
  check_operation({"index_add",
                   {"input", "index", "source"},
                   {spread({4, 3}), index, spread({3, 3}, -1, 1, 4)},
                   [](const TensorList& x) { return index_add(x[0], 0, x[1], x[2], 2); },
                   [](const std::vector<Array>& in) {
                     Array y = in[0];
                     for (std::size_t i = 0; i < in[2].values.size(); ++i)
                       y.values[at(in[1].values[i / 3]) * 3 + i % 3] += 2 * in[2].values[i];
                     return y;
                   }});
}

TEST_CASE("gather, scatter and scatter_add") {
  const Tensor index = td::tensor({{3, 0}, {1, 1}});
  const Tensor distinct = td::tensor({{3, 0}, {1, 2}});
  check_operation({"gather",
                   {"input", "index"},
                   {spread({3, 4}), index},
                   [](const TensorList& x) { return gather(x[0], 1, x[1]); },
                   gather_rows});
  check_operation({"scatter_add",
                   {"input", "index", "source"},
                   {spread({3, 4}), index, spread({2, 2}, -1, 1, 3)},
                   [](const TensorList& x) { return scatter_add(x[0], 1, x[1], x[2]); },
                   [](const std::vector<Array>& in) { return scatter_rows(in, true); }});
  check_operation({"scatter",
                   {"input", "index", "source"},
                   {spread({3, 4}), distinct, spread({2, 2}, -1, 1, 3)},
                   [](const TensorList& x) { return scatter(x[0], 1, x[1], x[2]); },
                   [](const std::vector<Array>& in) { return scatter_rows(in, false); }});
}

TEST_CASE("embedding: rows, repeated words, padding without gradient") {
  check_operation({"embedding",
                   {"weight", "index"},
                   {spread({5, 3}), td::tensor({{1, 4}, {4, 0}})},
                   [](const TensorList& x) { return embedding(x[0], x[1]); },
                   [](const std::vector<Array>& in) {
                     Array y = select_rows(in);
                     y.sizes = {in[1].size(0), in[1].size(1), 3};
                     return y;
                   },
                   {spread({5, 3}), td::zeros({0, 2}, td::kLong)},
                   {td::kDouble, td::kFloat},
                   true,
                   {}});
  const Tensor weight = td::ones({3, 2}).requires_grad_();
  embedding(weight, td::tensor({0, 1, 0, 2}), 2).sum().backward();
  CHECK(values(weight.grad()) == List{2, 2, 1, 1, 0, 0});
}

TEST_CASE("cat, stack, flip, repeat") {
  const auto joined = [](const std::vector<Array>& in) {
    Array y{{in[0].size(0) + in[1].size(0), in[0].size(1)}, in[0].values};
    y.values.insert(y.values.end(), in[1].values.begin(), in[1].values.end());
    return y;
  };
  check_operation({"cat",
                   {"tensors[0]", "tensors[1]"},
                   {spread({2, 3}), spread({4, 3}, -1, 1, 2)},
                   [](const TensorList& x) { return td::cat(x, 0); },
                   joined,
                   {spread({0, 3}), spread({2, 3})}});
  check_operation({"cat",
                   {"tensors[0]", "tensors[1]"},
                   {spread({2, 3}), spread({4, 3}, -1, 1, 2)},
                   [](const TensorList& x) {
                     return td::cat({x[0].t(), x[1].t()}, -1).t();
                   },
                   joined});
  check_operation({"stack",
                   {"tensors[0]", "tensors[1]"},
                   {spread({2, 3}), spread({2, 3}, -1, 1, 2)},
                   [](const TensorList& x) { return stack(x, 0); },
                   [&](const std::vector<Array>& in) {
                     Array y = joined(in);
                     y.sizes = {2, 2, 3};
                     return y;
                   }});
  check_operation({"flip",
                   {"input"},
                   {spread({2, 3})},
                   [](const TensorList& x) {
                     return flip(x[0], {0, 1});
                   },
                   [](const std::vector<Array>& in) {
                     Array y = in[0];
                     std::reverse(y.values.begin(), y.values.end());
                     return y;
                   },
                   {spread({0, 3})}});
  check_operation({"repeat",
                   {"input"},
                   {spread({1, 3})},
                   [](const TensorList& x) {
                     return x[0].repeat({2, 2, 1});
                   },
                   [](const std::vector<Array>& in) {
                     Array y{{2, 2, 3}, {}};
                     for (int i = 0; i < 4; ++i)
                       y.values.insert(y.values.end(), in[0].values.begin(), in[0].values.end());
                     return y;
                   }});
  CHECK(td::cat({td::zeros({0}), td::ones({2, 2})}).sizes() == td::IntArrayRef({2, 2}));
  CHECK(td::cat({td::ones({1}, td::kInt), td::ones({1})}).dtype() == td::kFloat);
}

TEST_CASE("selections whose size is data") {
  for (const td::Device device : devices()) {
    INFO(device);
    const Tensor x = td::tensor({{1.0, -2.0}, {3.0, -4.0}}).to(device).requires_grad_();
    const Tensor chosen = masked_select(x, x.gt(td::Scalar(0)));
    CHECK(values(chosen) == List{1, 3});
    chosen.sum().backward();
    CHECK(values(x.grad()) == List{1, 0, 1, 0});
    CHECK(values(x.lt(td::Scalar(0)).nonzero()) == List{0, 1, 1, 1});
    CHECK(values(one_hot(td::tensor({2, 0}).to(device))) == List{0, 0, 1, 1, 0, 0});
    CHECK(one_hot(td::tensor({0}).to(device), 4).sizes() == td::IntArrayRef({1, 4}));
    CHECK(masked_select(x, x.gt(td::Scalar(9))).sizes() == td::IntArrayRef({0}));
  }
}

TEST_CASE("in place, on strided memory, with equal indices") {
  for (const td::Device device : devices()) {
    INFO(device);
    const Tensor memory = td::zeros({3, 2}, td::TensorOptions(device));
    Tensor columns = memory.t();
    columns.index_add_(1, td::tensor({2, 2}).to(device),
                       td::ones({2, 2}, td::TensorOptions(device)));
    CHECK(values(memory) == List{0, 0, 0, 0, 2, 2});
    columns.scatter_(1, td::tensor({{0}, {1}}).to(device), 5);
    CHECK(values(memory) == List{5, 0, 0, 5, 2, 2});
    Tensor wide = td::zeros({1, 40000}, td::TensorOptions(device));
    wide.index_add_(1, td::zeros({50}, td::TensorOptions(td::kLong).device(device)),
                    td::ones({1, 50}, td::TensorOptions(device)));
    CHECK(wide.sum().item<double>() == 50);
  }
}

TEST_CASE("an int32 index is taken where libtorch takes it") {
  for (const td::Device device : devices()) {
    const Tensor x = td::arange(6, td::TensorOptions(td::kFloat).device(device)).reshape({2, 3});
    const Tensor rows = td::tensor({1, 0}).to(device, td::kInt);
    CHECK(values(index_select(x, 0, rows)) == List{3, 4, 5, 0, 1, 2});
    CHECK(values(index_add(x, 0, rows, x)) == List{3, 5, 7, 3, 5, 7});
    CHECK(values(embedding(x, rows)) == List{3, 4, 5, 0, 1, 2});
    const Tensor at = td::zeros({1, 3}, td::TensorOptions(td::kInt).device(device));
    const std::string refusal =
        ": \"index\" must be int64 but is int32; convert it with to(kInt64)";
    CHECK(message<td::DtypeError>([&] { gather(x, 0, at); }) == "gather" + refusal);
    CHECK(message<td::DtypeError>([&] { scatter(x, 0, at, x); }) == "scatter" + refusal);
    CHECK(message<td::DtypeError>([&] { scatter(x, 0, at, 1); }) == "scatter" + refusal);
    CHECK(message<td::DtypeError>([&] { scatter_add(x, 0, at, x); }) == "scatter_add" + refusal);
    // An index without elements has no type to be wrong.
    const Tensor none = td::zeros({0, 3}, td::TensorOptions(device));
    CHECK(gather(x, 0, none).numel() == 0);
    CHECK(values(scatter(x, 0, none, x)) == values(x));
    CHECK(values(scatter_add(x, 0, none, x)) == values(x));
  }
}

TEST_CASE("an index that does not exist is named") {
  const Tensor x = td::zeros({2, 3});
  CHECK(message<td::ShapeError>([&] {
          index_select(x, 0, td::tensor({0, 2}));
        }) == "index_select: index 2 is out of range; expected 0 to 1");
  CHECK(message<td::ShapeError>([&] {
          gather(x, 1, td::tensor({{0}, {-1}}));
        }) == "gather: index -1 is out of range; expected 0 to 2");
  CHECK(message<td::ShapeError>([&] { embedding(x, td::tensor({7})); }) ==
        "embedding: index 7 is out of range; expected 0 to 1");
  const Tensor none = td::zeros({0, 3}), first = td::tensor({0});
  CHECK(message<td::ShapeError>([&] { index_select(none, 0, first); }) ==
        "index_select: index 0 is out of range: the dimension has size 0");
  CHECK(message<td::ShapeError>([&] { none.index({first}); }) ==
        "index: index 0 is out of range: the dimension has size 0");
  CHECK(message<td::ShapeError>([&] {
          gather(none, 0, first.reshape({1, 1}));
        }) == "gather: index 0 is out of range: the dimension has size 0");
  CHECK(message<td::ShapeError>([&] {
          scatter(none, 0, first.reshape({1, 1}), 1);
        }) == "scatter: index 0 is out of range: the dimension has size 0");
  CHECK(message<td::ShapeError>([&] {
          none.clone().index_add_(0, first, td::ones({1, 3}));
        }) == "index_add_: index 0 is out of range: the dimension has size 0");
  const Tensor late = embedding(x.to("sim:0"), td::tensor({7}).to("sim:0"));
  CHECK(message<td::AsyncError>([&] { late.cpu(); }).find("embedding: index 7 is out of range") !=
        std::string::npos);
  CHECK(message<td::DtypeError>([&] { index_select(x, 0, td::zeros({1})); }) ==
        "index_select: \"index\" must be int64 but is float32; convert it with to(kInt64)");
  CHECK(message<td::ShapeError>([&] {
          td::cat({x, td::zeros({2, 4})}, 0);
        }) ==
        "cat: tensors[1] has sizes [2, 4] but tensors[0] has [2, 3]; they may differ in dimension "
        "0 only");
}
