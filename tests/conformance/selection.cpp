// Choosing elements by index, mask and order; writing to them; triangles, running sums, rolls.
#include "conformance.h"

#include <limits>

using namespace conformance;
using torch::indexing::Ellipsis;
using torch::indexing::None;
using torch::indexing::Slice;

namespace {

void by_index() {
  for (const NamedType& type : all_types()) {
    Context here(type.name);
    const Tensor x = whole({3, 4}, 10, type.type);
    const Tensor at = torch::tensor({2, 0, 2});
    REPORT(torch::index_select(x, 0, at));
    REPORT(x.index_select(1, at));
    REPORT(x.t().index_select(-1, at));
    REPORT(x.gather(0, torch::tensor({{0, 1, 2, 0}, {2, 2, 2, 2}})));
    REPORT(torch::gather(x, 1, torch::tensor({{3}, {0}, {1}})));
    REPORT(x.clone().scatter_(1, torch::tensor({{1, 0}, {2, 3}}), x.slice(1, 2, 4)));
    REPORT(x.clone().scatter_(0, torch::tensor({{1, 0, 2}}), 1));
    REPORT(x.clone().scatter_add_(1, torch::tensor({{1, 1}, {2, 2}}), x));
    REPORT(x.clone().index_add_(0, at, x));
    REPORT(x.clone().index_add_(1, torch::tensor({1, 1}), x.slice(1, 0, 2), 2));
    REPORT(x.index({at}));
    REPORT(x.index({at, torch::tensor({1, 2, 3})}));
    REPORT(x.clone().index_put_({at}, torch::ones({3, 4}, type.type)));
    REPORT(x.clone().index_put_({at}, torch::ones({3, 4}, type.type), true));
    REPORT(x.clone().index_put_({1}, 1));
    REPORT(torch::nonzero(x));
    REPORT(x.masked_select(x > 4));
    REPORT(torch::tril(x));
    REPORT(torch::triu(x, 1));
    REPORT(x.tril(-1));
    REPORT(x.triu(-1));
    REPORT(torch::diag(x));
    REPORT(x[0].diag());
    REPORT(torch::diag(x[0], 1));
    REPORT(torch::diag(x, -1));
    REPORT(torch::roll(x, 1));
    REPORT(torch::roll(x, 2, 1));
    REPORT(x.roll({1, -1}, {0, 1}));
    REPORT(torch::cumsum(x, 0));
    REPORT(x.cumsum(-1));
    REPORT(torch::cumprod(x, 1));
    REPORT(torch::cumsum(x, 0, torch::kFloat64));
    REPORT(x.cumprod(0, torch::kFloat64));
    REPORT(torch::flip(x, {1}));
    REPORT(torch::sort(x, -1));
    REPORT(torch::sort(x, 0, true));
    REPORT(std::get<0>(torch::topk(x, 2)));
  }
}

std::vector<NamedType> index_types() {
  return {{"int32", torch::kInt32},
          {"int64", torch::kInt64},
          {"uint8", torch::kUInt8},
          {"bool", torch::kBool}};
}

void indexing() {
  const Tensor x = formula({3, 4, 5});
  const Tensor a = torch::tensor({0, 2});
  const Tensor b = torch::tensor({1, 3});
  REPORT(x.index({1}));
  REPORT(x.index({-1}));
  REPORT(x.index({1, 2}));
  REPORT(x.index({1, 2, 3}));
  REPORT(x.index({Slice()}));
  REPORT(x.index({Slice(1)}));
  REPORT(x.index({Slice(1, 3)}));
  REPORT(x.index({Slice(None, 2)}));
  REPORT(x.index({Slice(None, None, 2)}));
  REPORT(x.index({Slice(), Slice(-3, -1)}));
  REPORT(x.index({Slice(), 1}));
  REPORT(x.index({"...", 1}));
  REPORT(x.index({Ellipsis, 1}));
  REPORT(x.index({Ellipsis}));
  REPORT(x.index({1, Ellipsis, 2}));
  REPORT(x.index({None}));
  REPORT(x.index({Slice(), None, 1}));
  REPORT(x.index({Ellipsis, None}));
  REPORT(x.index({a}));
  REPORT(x.index({a, b}));
  REPORT(x.index({Slice(), a}));
  REPORT(x.index({Slice(), a, b}));
  REPORT(x.index({a, Slice(), b}));
  REPORT(x.index({a, 1}));
  REPORT(x.index({1, a}));
  REPORT(x.index({1, Slice(), a}));
  REPORT(x.index({Ellipsis, a}));
  REPORT(x.index({a.unsqueeze(1), b}));
  REPORT(x.index({a.view({2, 1}), Slice(), b.view({1, 2})}));
  REPORT(x.index({a, None, b}));
  REPORT(x.index({-a}));
  REPORT(x.index({x > 0}));
  REPORT(x.index({x[0] > 0}).sizes());
  REPORT(x.index({torch::tensor({true, false, true})}));
  REPORT(x.index({torch::tensor({true, false, true}), torch::tensor({1, 2})}));
  REPORT(x.index({Slice(), torch::tensor({true, false, true, true})}));
  REPORT(x.index({torch::tensor({true, true, false}), Slice(1, 3)}));
  REPORT(x.index({torch::zeros({0}, torch::kInt64)}));
  REPORT(x.index({torch::tensor(1)}));
  REPORT(x.index({torch::tensor(1), a}));
  REPORT(x.index({a.to(torch::kUInt8)}));
  REPORT(x.index({true}));
  REPORT(x.index({false}));
  REPORT(shares_memory(x.index({Slice(1), Ellipsis}), x));
  REPORT(shares_memory(x.index({a}), x));
  const auto put = [&](std::initializer_list<torch::indexing::TensorIndex> at,
                       const Tensor& values) {
    Tensor y = x.clone();  // libtorch: not const, unlike other changes in place
    y.index_put_(at, values);
    return y;
  };
  REPORT(put({1}, torch::ones({4, 5})));
  REPORT(put({1}, torch::ones({5})));
  REPORT(put({Slice(1), 2}, torch::ones({})));
  REPORT(put({a, b}, torch::arange(10).view({2, 5}).to(torch::kFloat32)));
  REPORT(put({a}, torch::tensor(7.0)));
  REPORT(put({x > 0}, torch::tensor(7.0)));
  REPORT(put({Ellipsis, a}, torch::tensor({1.0, 2.0})));
  REPORT(put({a, Slice(), b}, torch::ones({2, 4})));
  REPORT(x.clone().index_put_({Slice(), 1}, 3.5));
  REPORT(x.clone().index_put_({a, b}, 3.5));
  REPORT(x.clone().index_put_({x > 0.5}, 0));
  REPORT(torch::zeros({4}).index_put_({torch::tensor({1, 1, 2})}, torch::tensor({1.0, 2.0, 3.0}),
                                      true));
  const Tensor rows = torch::zeros({1, 4, 5}), zero = torch::tensor({0});
  const auto put_rows = [&](std::initializer_list<torch::indexing::TensorIndex> at,
                            const Tensor& values) {
    Tensor y = rows.clone();
    y.index_put_(at, values);
    return y;
  };
  const Tensor values = formula({1, 1, 4, 5});
  REPORT(put_rows({zero}, values));
  REPORT(put_rows({zero}, values.reshape({1, 1, 1, 1, 4, 5})));
  REPORT(put_rows({0}, values));
  REPORT(put_rows({Ellipsis}, values));
  REPORT(put_rows({None}, values.unsqueeze(0)));
  REPORT(put_rows({true}, values.unsqueeze(0)));
  REPORT(put_rows({false}, values.unsqueeze(0)));
  REPORT(put_rows({torch::tensor({0, 0})}, values));
  REPORT(put_rows({rows == 0}, values.reshape({1, 1, 20})));
  REPORT(put_rows({rows != 0}, torch::ones({1, 0})));
  REPORT_THROWS(put_rows({zero}, torch::ones({2, 1, 4, 5})));
  for (const NamedType& type : index_types()) {
    Context here("a 0-dimensional index of " + type.name);
    const Tensor one = torch::tensor(1).to(type.type);
    REPORT(x.index({one}));
    REPORT(x.index({Slice(), one}));
    REPORT(x.index({one, a}));
    REPORT(put({Slice(), one}, torch::tensor(7.0)));
    REPORT(put({one, one}, torch::ones({5})));
  }
  REPORT_THROWS(x.index({a.to(torch::kInt32)}));
  REPORT_THROWS(x.index({torch::zeros({0}, torch::kInt32)}));
  REPORT_THROWS(x.index({1, a.to(torch::kInt32)}));
  REPORT_THROWS(x.index({torch::tensor(1.0)}));
  REPORT_THROWS(put({a.to(torch::kInt32)}, torch::ones({})));
  REPORT_THROWS(x.index({}));
  REPORT_THROWS(x.clone().index_put_({}, torch::ones({5})));
  REPORT_THROWS(x.index({0, 7}));
  REPORT_THROWS(torch::zeros({0, 3}).index({zero}));
  REPORT_THROWS(x.index({3}));
  REPORT_THROWS(x.index({1, 2, 3, 4}));
  REPORT_THROWS(x.index({torch::tensor({3})}));
  REPORT_THROWS(x.index({torch::tensor({-4})}));
  REPORT_THROWS(x.index({torch::tensor({1.0})}));
  REPORT_THROWS(x.index({a, torch::tensor({0, 1, 2})}));
  REPORT_THROWS(x.index({torch::tensor({true, false})}));
  REPORT_THROWS(x.index({Ellipsis, Ellipsis}));
  REPORT_THROWS(x.index({Slice(None, None, -1)}));
  REPORT_THROWS(put({a}, torch::ones({3})));
  REPORT_THROWS(put({a}, torch::ones({2, 4, 5}, torch::kFloat64)));
}

// Which operations take which types of index, with elements and without.
void types_of_index() {
  const Tensor x = formula({3, 4});
  std::vector<NamedType> types = index_types();
  types.push_back({"float32", torch::kFloat32});
  for (const NamedType& type : types) {
    Context here("index of " + type.name);
    const Tensor at = torch::zeros({1, 4}, type.type), none = torch::zeros({0, 4}, type.type);
    const Tensor line = torch::zeros({2}, type.type), no_line = torch::zeros({0}, type.type);
    REPORT(x.gather(0, at));
    REPORT(x.gather(0, none));
    REPORT(x.clone().scatter_(0, at, x));
    REPORT(x.clone().scatter_(0, none, x));
    REPORT(x.clone().scatter_(0, at, 2));
    REPORT(x.clone().scatter_add_(0, at, x));
    REPORT(x.clone().scatter_add_(0, none, x));
    REPORT(x.index_select(0, line));
    REPORT(x.index_select(0, no_line));
    REPORT(x.index_select(0, line[0]));
    REPORT(x.clone().index_add_(0, line, x.slice(0, 1)));
    REPORT(x.clone().index_add_(0, no_line, x.slice(0, 0, 0)));
    REPORT(torch::nn::functional::embedding(line, x));
    REPORT(torch::nn::functional::embedding(at, x));
    REPORT(torch::one_hot(line, 3));
  }
}

void orders() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor x = formula({3, 5});
  REPORT(torch::sort(x));
  REPORT(x.sort(0));
  REPORT(x.sort(1, true));
  REPORT(x.t().sort(1));
  REPORT(torch::argsort(x));
  REPORT(x.argsort(0, true));
  REPORT(torch::topk(x, 2));
  REPORT(x.topk(3, 1, false));
  REPORT(x.topk(2, 0));
  REPORT(x.topk(0));
  REPORT(x.t().topk(2, 0));
  const Tensor ties = torch::tensor({2, 1, 2, 1, 2, 1, 0});
  REPORT(torch::sort(ties, /*stable=*/true, 0, false));
  REPORT(torch::sort(ties, /*stable=*/true, 0, true));
  REPORT(std::get<0>(ties.topk(4)));
  const Tensor odd = torch::tensor({1.0, nan, -inf, inf, 0.0, nan});
  REPORT(odd.sort());
  REPORT(odd.sort(0, true));
  REPORT(std::get<0>(odd.topk(3)));
  REPORT(std::get<0>(odd.topk(3, 0, false)));
  REPORT(torch::sort(torch::zeros({0})));
  REPORT(torch::sort(torch::zeros({2, 0})));
  REPORT(torch::sort(torch::tensor(5)));
  REPORT(torch::tensor({true, false, true}).sort());
  REPORT(torch::one_hot(torch::tensor({0, 2, 1})));
  REPORT(torch::one_hot(torch::tensor({{0, 2}, {1, 1}}), 4));
  REPORT(torch::one_hot(torch::zeros({0}, torch::kInt64), 3));
  REPORT(torch::nonzero(torch::tensor({0.0, nan, -0.0, 2.0})));
  REPORT(torch::nonzero(torch::tensor(5)));
  REPORT(torch::nonzero(torch::tensor(0)));
  REPORT(torch::cumsum(torch::tensor(5.0), 0));
  REPORT(torch::cumsum(torch::zeros({0, 2}), 0));
  REPORT(torch::cumprod(torch::tensor({1.0, nan, 2.0}), 0));
  REPORT(torch::tril(formula({2, 3, 3})));
  REPORT(torch::triu(formula({3, 4}).t()));
  REPORT(torch::roll(x, {1}, {0}));
  REPORT(torch::roll(x, -7));
  REPORT(torch::roll(torch::zeros({0}), 1));
}

void gradients() {
  const Tensor x = formula({3, 4});
  const Tensor at = torch::tensor({2, 0, 2});
  const auto check = [](const char* name, const TensorFunction& f, const Tensors& inputs) {
    report_gradients(
        name,
        [&](const Tensors& in) {
          return f({in[0].exp(), in.back()});
        },
        inputs);
  };
  check("index_select", [&](const Tensors& in) { return in[0].index_select(0, at); }, {x});
  check("gather",
        [&](const Tensors& in) {
          return in[0].gather(1, torch::tensor({{0, 0}, {1, 3}}));
        },
        {x});
  check("index", [&](const Tensors& in) { return in[0].index({at, Slice(1, 3)}); }, {x});
  check("index of two", [&](const Tensors& in) { return in[0].index({at, at}); }, {x});
  check("index by mask", [&](const Tensors& in) { return in[0].index({in[0].detach() > 1}); }, {x});
  check("index_put",
        [&](const Tensors& in) {
          return in[0].clone().index_put_({torch::tensor({1, 2})}, in[1]);
        },
        {x, formula({2, 4})});
  check("index_put accumulate",
        [&](const Tensors& in) {
          return in[0].clone().index_put_({torch::tensor({1, 1})}, in[1], true);
        },
        {x, formula({2, 4})});
  check("scatter",
        [&](const Tensors& in) {
          return in[0].clone().scatter_(1, torch::tensor({{1, 0}, {2, 3}}), in[1]);
        },
        {x, formula({2, 2})});
  check("scatter number",
        [&](const Tensors& in) {
          return in[0].clone().scatter_(1, torch::tensor({{1, 0}, {2, 3}}), 2);
        },
        {x});
  check("scatter_add",
        [&](const Tensors& in) {
          return in[0].clone().scatter_add_(1, torch::tensor({{1, 1}, {2, 3}}), in[1]);
        },
        {x, formula({2, 2})});
  check("index_add", [&](const Tensors& in) { return in[0].clone().index_add_(0, at, in[1], 2); },
        {x, formula({3, 4})});
  check("sort", [](const Tensors& in) { return std::get<0>(in[0].sort(1, true)); }, {x});
  check("topk", [](const Tensors& in) { return std::get<0>(in[0].topk(2)); }, {x});
  check("cumsum", [](const Tensors& in) { return in[0].cumsum(1); }, {x});
  check("cumprod", [](const Tensors& in) { return in[0].cumprod(1); }, {x});
  report_gradients(
      "cumprod with zeros", [](const Tensors& in) { return in[0].cumprod(0); },
      {torch::tensor({1.0, 0.0, 3.0, 0.0, 2.0})}, false);
  check("tril", [](const Tensors& in) { return in[0].tril(); }, {x});
  check("triu", [](const Tensors& in) { return in[0].triu(1); }, {x});
  check("diag", [](const Tensors& in) { return in[0].diag(); }, {x});
  check("diag of a vector", [](const Tensors& in) { return in[0].diag(1); }, {formula({3})});
  check("roll", [](const Tensors& in) { return in[0].roll(1, 1); }, {x});
  check("flip", [](const Tensors& in) { return in[0].flip({0}); }, {x});
  check("repeat", [](const Tensors& in) { return in[0].repeat({2, 1}); }, {x});
}

void refused() {
  const Tensor x = formula({3, 4});
  REPORT_THROWS(x.index_select(0, torch::tensor({3})));
  REPORT_THROWS(x.index_select(0, torch::tensor({-1})));
  REPORT_THROWS(x.index_select(2, torch::tensor({0})));
  REPORT_THROWS(x.index_select(0, torch::tensor({{0}})));
  REPORT_THROWS(x.index_select(0, torch::tensor({0.0})));
  REPORT_THROWS(x.gather(0, torch::tensor({{3}})));
  REPORT_THROWS(x.gather(0, torch::tensor({0})));
  REPORT_THROWS(x.gather(0, torch::tensor({{0.5}})));
  REPORT_THROWS(x.gather(1, torch::zeros({4, 1}, torch::kInt64)));
  REPORT_THROWS(x.clone().scatter_(0, torch::tensor({{3}}), 1));
  REPORT_THROWS(x.clone().scatter_(1, torch::tensor({{0, 1}}), torch::ones({1, 1})));
  REPORT_THROWS(x.clone().scatter_(1, torch::tensor({{0}}), torch::ones({1, 1}, torch::kInt64)));
  REPORT_THROWS(x.clone().index_add_(0, torch::tensor({3}), torch::ones({1, 4})));
  REPORT_THROWS(x.clone().index_add_(0, torch::tensor({0}), torch::ones({2, 4})));
  REPORT_THROWS(torch::one_hot(torch::tensor({3}), 3));
  REPORT_THROWS(torch::one_hot(torch::tensor({-1})));
  REPORT_THROWS(torch::one_hot(torch::tensor({0.5})));
  REPORT_THROWS(x.topk(5));
  REPORT_THROWS(x.topk(-1));
  REPORT_THROWS(x.sort(2));
  REPORT_THROWS(x.cumsum(2));
  REPORT_THROWS(torch::ones({3}).tril());
  REPORT_THROWS(torch::ones({2, 2, 2}).diag());
  REPORT_THROWS(torch::roll(x, {1, 2}, {0}));
  REPORT_THROWS(torch::roll(x, 1, 2));
}

}  // namespace

int main() {
  by_index();
  indexing();
  types_of_index();
  orders();
  gradients();
  refused();
  return 0;
}
