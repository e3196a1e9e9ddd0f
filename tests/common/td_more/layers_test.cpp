// td_more's layers and losses: their parameters, first values, printing, and results by their
// formulas.
#include <cmath>

#include "../td/nn/nets.h"
#include "td_more/td_more.h"

using namespace td;

TEST_CASE("layers print as in Python") {
  CHECK(printed(nn::LayerNorm(std::vector<std::int64_t>{3})) ==
        "LayerNorm((3,), eps=1e-05, elementwise_affine=True)");
  CHECK(printed(nn::Embedding(nn::EmbeddingOptions(10, 3).padding_idx(0))) ==
        "Embedding(10, 3, padding_idx=0)");
  CHECK(printed(nn::LeakyReLU()) == "LeakyReLU(negative_slope=0.01)");
  CHECK(printed(nn::Softmax(1)) == "Softmax(dim=1)");
  CHECK(printed(nn::GELU()) == "GELU(approximate='none')");
}

TEST_CASE("an embedding starts standard normal, and its padding row as zeros") {
  const std::vector<double> normal = values(nn::Embedding(100, 20)->weight);
  double squares = 0;
  for (double v : normal) squares += v * v;
  CHECK(squares / 2000 == Approx(1).epsilon(0.15));
  CHECK(values(nn::Embedding(nn::EmbeddingOptions(4, 2).padding_idx(1))->weight[1]) ==
        std::vector<double>{0, 0});
}

TEST_CASE("the padding row of an embedding is zeros and gets no gradient") {
  for (const std::int64_t row : {0, -5}) {
    nn::Embedding table(nn::EmbeddingOptions(5, 2).padding_idx(row));
    CHECK(values(table->weight[0]) == std::vector<double>{0, 0});
    table(tensor({0, 4, 0})).sum().backward();
    CHECK(values(table->weight.grad()) == std::vector<double>{0, 0, 0, 0, 0, 0, 0, 0, 1, 1});
  }
  CHECK(message<Error>([] { nn::Embedding(nn::EmbeddingOptions(5, 2).padding_idx(5)); }) ==
        "Embedding: padding_idx 5 is no row of a table of 5 rows");
}

TEST_CASE("LayerNorm normalizes each row, and leaves its parameters out when they are not wanted") {
  nn::LayerNorm norm(std::vector<std::int64_t>{2});
  CHECK(values(norm->weight) == std::vector<double>{1, 1});
  CHECK(values(norm->bias) == std::vector<double>{0, 0});
  const std::vector<double> y = values(norm(of({1, 3, -4, 4}, {2, 2})));
  CHECK(y[0] == Approx(-1).epsilon(1e-4));
  CHECK(y[3] == Approx(1).epsilon(1e-4));
  const nn::LayerNorm plain(
      nn::LayerNormOptions(std::vector<std::int64_t>{2}).elementwise_affine(false));
  CHECK(plain->parameters().empty());
}

TEST_CASE("activation layers compute their formulas") {
  const Tensor x = of({-2, -0.5, 0, 0.5, 2});
  const auto check = [&](const Tensor& y, double (*f)(double)) {
    const std::vector<double> in = values(x), out = values(y);
    for (std::size_t i = 0; i < in.size(); ++i) CHECK(out[i] == Approx(f(in[i])).margin(1e-6));
  };
  check(nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.2))(x),
        [](double v) { return v > 0 ? v : 0.2 * v; });
  check(nn::GELU()(x), [](double v) { return v * 0.5 * (1 + std::erf(v / std::sqrt(2.0))); });
  check(nn::Sigmoid()(x), [](double v) { return 1 / (1 + std::exp(-v)); });
  const std::vector<double> in = values(x), out = values(nn::Softmax(0)(x));
  double sum = 0;
  for (double v : in) sum += std::exp(v);
  for (std::size_t i = 0; i < in.size(); ++i) CHECK(out[i] == Approx(std::exp(in[i]) / sum));
  Tensor changed = x.clone();
  nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.5).inplace(true))(changed);
  CHECK(values(changed) == std::vector<double>{-1, -0.25, 0, 0.5, 2});
}

TEST_CASE("losses compute their formulas, in every reduction") {
  const std::vector<double> a = {0.5, -1, 2, 3}, b = {1, 1, 0, 1};
  const Tensor x = of({0.5, -1, 2, 3}), t = of({1, 1, 0, 1});
  const auto check = [&](auto make, double (*f)(double, double)) {
    double sum = 0;
    std::vector<double> each;
    for (std::size_t i = 0; i < 4; ++i) each.push_back(f(a[i], b[i])), sum += each.back();
    CHECK(make(kSum)(x, t).template item<double>() == Approx(sum));
    CHECK(make(kMean)(x, t).template item<double>() == Approx(sum / 4));
    const std::vector<double> none = values(make(kNone)(x, t));
    for (std::size_t i = 0; i < 4; ++i) CHECK(none[i] == Approx(each[i]));
  };
  check([](auto r) { return nn::L1Loss(r); }, [](double p, double q) { return std::abs(p - q); });
  check([](auto r) { return nn::SmoothL1Loss(nn::SmoothL1LossOptions(r).beta(0.75)); },
        [](double p, double q) {
          const double d = std::abs(p - q);
          return d < 0.75 ? d * d / 1.5 : d - 0.375;
        });
  check([](auto r) { return nn::BCEWithLogitsLoss(nn::BCEWithLogitsLossOptions().reduction(r)); },
        [](double p, double q) { return std::log1p(std::exp(p)) - p * q; });
  const double probability = nn::BCELoss()(of({0.25}), of({1})).item<double>();
  CHECK(probability == Approx(std::log(4.0)));
}

TEST_CASE("a cloned loss has its own weights") {
  const nn::BCEWithLogitsLoss logits(
      nn::BCEWithLogitsLossOptions().weight(of({1})).pos_weight(of({2})));
  logits->clone()->to(Device("sim:0"));
  CHECK(logits->weight.is_cpu());
  CHECK(logits->pos_weight.is_cpu());
}

TEST_CASE("NLLLoss of log_softmax is CrossEntropyLoss") {
  const Tensor x = of({1, 2, 3, 0, 0, 0, 2, 0, 1}, {3, 3}), target = of({2, 1, 0}).to(kLong);
  nn::NLLLoss nll;
  CHECK(nll(x.log_softmax(1), target).item<double>() ==
        Approx(nn::CrossEntropyLoss()(x, target).item<double>()));
}
