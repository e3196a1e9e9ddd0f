// The operation suite over losses, and cross entropy's special cases: ignored targets, weights,
// smoothing, targets that do not exist.
#include <cmath>

#include "../tensor/values.h"
#include "catch.h"
#include "suite.h"
#include "td/autograd/engine.h"

using namespace suite;
using td::Scalar;
using td::Tensor;
using td::TensorList;
using td::Reduction::Reduction;
using Row = std::vector<double>;

namespace {

const std::vector<Reduction> reductions{td::kNone, td::kMean, td::kSum};

Array reduced(const Array& losses, Reduction reduction, double divisor = -1) {
  if (reduction == td::kNone) return losses;
  double sum = 0;
  for (double x : losses.values) sum += x;
  if (divisor < 0) divisor = static_cast<double>(losses.values.size());
  return {{}, {reduction == td::kMean ? sum / divisor : sum}};
}

using Loss = Tensor (*)(const Tensor&, const Tensor&, Reduction);
void check_element_loss(const std::string& name, double low, double high,
                        const std::function<Tensor(const Tensor&, const Tensor&, Reduction)>& run,
                        double (*f)(double x, double t)) {
  for (const Reduction reduction : reductions)
    check_operation(
        {name,
         {"input", "target"},
         {spread({3, 4}, low, high), spread({3, 4}, low, high, 2)},
         [&](const TensorList& x) { return run(x[0], x[1], reduction); },
         [&](const std::vector<Array>& x) { return reduced(each(x[0], x[1], f), reduction); },
         {spread({0, 4}), spread({0, 4})}});
}

struct Case {
  Reduction reduction;
  bool weighted;
  double smoothing;
  std::int64_t ignore;
};

// Losses of [n, c, d] with targets [n, d], by the formula.
Array class_reference(const std::vector<Array>& in, const Case& k, bool from_log) {
  const Array &x = in[0], &target = in[1];
  const auto n = static_cast<std::size_t>(x.size(0)), c = static_cast<std::size_t>(x.size(1)),
             d = static_cast<std::size_t>(x.size(2));
  Array losses{target.sizes, {}};
  double weights = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j) {
      const double t = target.values[i * d + j];
      double sum = 0;
      for (std::size_t m = 0; m < c; ++m) sum += std::exp(x.values[(i * c + m) * d + j]);
      const double log_sum = from_log ? 0 : std::log(sum);
      const auto weight = [&](std::size_t m) { return k.weighted ? in[2].values[m] : 1.0; };
      const auto minus_log = [&](std::size_t m) { return log_sum - x.values[(i * c + m) * d + j]; };
      double loss = 0;
      if (t != static_cast<double>(k.ignore)) {
        const auto right = static_cast<std::size_t>(t);
        weights += weight(right);
        loss = (1 - k.smoothing) * weight(right) * minus_log(right);
        for (std::size_t m = 0; m < c; ++m)
          loss += k.smoothing / static_cast<double>(c) * weight(m) * minus_log(m);
      }
      losses.values.push_back(loss);
    }
  return reduced(losses, k.reduction, weights);
}

void check_class_loss(const Case& k, bool from_log) {
  INFO("reduction " << k.reduction << ", weighted " << k.weighted << ", smoothing " << k.smoothing
                    << ", ignore " << k.ignore << (from_log ? ", nll" : ""));
  TensorList inputs{spread({3, 4, 2}), td::tensor({{0, 3}, {1, 2}, {3, 1}})};
  std::vector<std::string> names{"input", "target"};
  if (k.weighted) {
    inputs.push_back(td::tensor({0.5, 1.5, 2.0, 1.0}));
    names.push_back("weight");
  }
  const auto run = [&](const TensorList& x) {
    const Tensor weight = k.weighted ? x[2] : Tensor();
    return from_log ? nll_loss(x[0], x[1], weight, k.reduction, k.ignore)
                    : cross_entropy_loss(x[0], x[1], weight, k.reduction, k.ignore, k.smoothing);
  };
  Sample s{from_log ? "nll_loss" : "cross_entropy", names, inputs, run,
           [&](const std::vector<Array>& x) { return class_reference(x, k, from_log); }};
  if (k.weighted) s.constants = {2};
  check_operation(s);
}

}  // namespace

TEST_CASE("mse_loss in every reduction") {
  check_element_loss(
      "mse_loss", -2, 2,
      [](const Tensor& x, const Tensor& t, Reduction r) { return mse_loss(x, t, r); },
      [](double x, double t) { return (x - t) * (x - t); });
}

TEST_CASE("mse_loss broadcasts as libtorch does") {
  CHECK(mse_loss(td::ones({2, 3}), td::zeros({3})).item<double>() == 1);
  CHECK(mse_loss(td::ones({2, 3}), td::zeros({}), td::kSum).item<double>() == 6);
}

TEST_CASE("cross entropy and nll_loss: every reduction, weights, smoothing, ignored targets") {
  for (const Reduction reduction : reductions)
    for (const bool weighted : {false, true}) {
      for (const double smoothing : {0.0, 0.2})
        check_class_loss({reduction, weighted, smoothing, 3}, false);
      check_class_loss({reduction, weighted, 0, 1}, true);
    }
}

TEST_CASE("nll_loss adds up any number of rows, without the ignored ones") {
  const Tensor weight = td::tensor({1.0, 2.0, 4.0});
  for (const std::int64_t rows : {1, 7, 8, 9, 30, 61}) {
    INFO(rows);
    double loss = 0, weights = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      if (i % 3 == 1) continue;
      const double w = i % 3 == 0 ? 1 : 4;
      loss -= w * static_cast<double>(3 * i + i % 3);
      weights += w;
    }
    const Tensor x = td::arange(3 * rows, td::kFloat).reshape({rows, 3});
    const Tensor t = td::arange(rows, td::kLong).remainder(3);
    CHECK(nll_loss(x, t, weight, td::kSum, 1).item<double>() == Approx(loss));
    CHECK(nll_loss(x, t, weight, td::kMean, 1).item<double>() == Approx(loss / weights));
  }
}

TEST_CASE("cross entropy of one sample, of probabilities, of large logits") {
  const Tensor x = td::tensor({1.0, 2.0, 4.0});
  const double log_sum = std::log(std::exp(1.0) + std::exp(2.0) + std::exp(4.0));
  CHECK(cross_entropy_loss(x, td::tensor(1)).item<double>() == Approx(log_sum - 2));
  const Tensor p = td::tensor({{0.25, 0.25, 0.5}});
  CHECK(cross_entropy_loss(x.unsqueeze(0), p).item<double>() == Approx(log_sum - 2.75));
  const Tensor large = td::tensor({{10000.0, 0.0}});
  CHECK(cross_entropy_loss(large, td::tensor({1})).item<double>() == 10000);
  // All targets ignored: nothing to take the mean of.
  CHECK(std::isnan(cross_entropy_loss(large, td::tensor({-100})).item<double>()));
}

TEST_CASE("where nll_loss has no gradient it is 0, and not -0") {
  const Tensor x = td::zeros({2, 3}).requires_grad_();
  nll_loss(x, td::tensor({0, -100})).backward();
  const Tensor gradient = x.grad().contiguous();
  const float* const g = gradient.data_ptr<float>();
  CHECK(g[0] == -1);
  for (int i = 1; i < 6; ++i) CHECK((g[i] == 0 && !std::signbit(g[i])));
}

TEST_CASE("where all targets are ignored the gradient is 0, also one that has a gradient") {
  const Tensor x = td::ones({2, 3}).requires_grad_(), t = td::tensor({-100, -100});
  for (const bool create_graph : {false, true})
    for (const Tensor& loss : {nll_loss(x, t), cross_entropy_loss(x, t)}) {
      const Tensor g = td::autograd::grad({loss}, {x}, {}, true, create_graph)[0];
      CHECK(g.detach().eq(0).all().item<bool>());
    }
}

TEST_CASE("a class that does not exist is named, now on cpu and at the next wait on sim") {
  const Tensor x = td::zeros({2, 3}), t = td::tensor({0, 3});
  CHECK(message<td::ShapeError>([&] { cross_entropy_loss(x, t); }) ==
        "cross_entropy: target 3 is out of range; expected 0 to 2");
  const Tensor late = cross_entropy_loss(x.to("sim:0"), t.to("sim:0"));
  const std::string words = message<td::AsyncError>([&] { late.item<float>(); });
  CHECK(words.find("cross_entropy: target 3 is out of range; expected 0 to 2") !=
        std::string::npos);
}

TEST_CASE("invalid arguments of losses are errors that name them") {
  const Tensor x = td::zeros({2, 3});
  CHECK(message<td::DtypeError>([&] {
          cross_entropy_loss(td::tensor({{1, 2}}), td::tensor({0}));
        }) == "cross_entropy: \"input\" must be floating point but is int64");
  CHECK(
      message<td::DtypeError>([&] { cross_entropy_loss(x, td::zeros({2})); }) ==
      "cross_entropy: \"target\" holds class numbers and must be int64 but is float32; convert it "
      "with to(kInt64)");
  CHECK(message<td::ShapeError>([&] {
          cross_entropy_loss(x, td::tensor({0, 1, 2}));
        }) ==
        "cross_entropy: \"input\" of sizes [2, 3] (batch, classes, ...) needs a \"target\" of "
        "sizes [2] "
        "but got [3]");
  CHECK(message<td::ShapeError>([&] {
          cross_entropy_loss(x, td::tensor({0, 1}), td::ones({2}));
        }) ==
        "cross_entropy: \"weight\" needs one number for each of the 3 classes but has sizes [2]");
}
