// Layers: their parameters, first values, printing, and results by hand-written loops.
#include <cmath>

#include "nets.h"

using namespace td;

TEST_CASE("layers print as in Python") {
  CHECK(printed(nn::Conv2d(nn::Conv2dOptions(3, 32, 5).padding(2))) ==
        "Conv2d(3, 32, kernel_size=(5, 5), stride=(1, 1), padding=(2, 2))");
  CHECK(printed(nn::Conv2d(
            nn::Conv2dOptions(4, 8, {3, 1}).stride(2).dilation({1, 2}).groups(2).bias(false))) ==
        "Conv2d(4, 8, kernel_size=(3, 1), stride=(2, 2), dilation=(1, 2), groups=2, bias=False)");
  CHECK(printed(nn::MaxPool2d(2)) ==
        "MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)");
  CHECK(printed(nn::AvgPool2d(nn::AvgPool2dOptions({3, 2}).stride(1))) ==
        "AvgPool2d(kernel_size=(3, 2), stride=1, padding=0)");
  CHECK(printed(nn::AdaptiveAvgPool2d(1)) == "AdaptiveAvgPool2d(output_size=1)");
  CHECK(printed(nn::BatchNorm2d(nn::BatchNormOptions(4).momentum(nullopt))) ==
        "BatchNorm2d(4, eps=1e-05, momentum=None, affine=True, track_running_stats=True)");
  CHECK(printed(nn::Dropout()) == "Dropout(p=0.5, inplace=False)");
  CHECK(printed(nn::Flatten()) == "Flatten(start_dim=1, end_dim=-1)");
  CHECK(printed(nn::ReLU(nn::ReLUOptions(true))) == "ReLU(inplace=True)");
  CHECK(printed(nn::CrossEntropyLoss()) == "CrossEntropyLoss()");
  CHECK(printed(nn::Sequential(nn::Linear(2, 3), nn::Tanh())) ==
        "Sequential(\n  (0): Linear(in_features=2, out_features=3, bias=True)\n  (1): Tanh()\n)");
}

TEST_CASE("weights start uniform within 1 / sqrt(inputs), and the same for the same seed") {
  manual_seed(1);
  nn::Linear a(400, 50);
  nn::Conv2d conv(4, 8, 5);
  manual_seed(1);
  nn::Linear b(400, 50);
  CHECK(values(a->weight) == values(b->weight));
  const auto check = [](const Tensor& t, double bound) {
    double largest = 0, sum = 0, squares = 0;
    for (double v : values(t)) largest = std::max(largest, std::abs(v)), sum += v, squares += v * v;
    const double n = static_cast<double>(t.numel());
    CHECK(largest <= bound);
    CHECK(largest > 0.8 * bound);
    CHECK(std::abs(sum / n) < 4 * bound / std::sqrt(3 * n));
    if (n > 500) CHECK(squares / n == Approx(bound * bound / 3).epsilon(0.1));
  };
  check(a->weight, 1 / std::sqrt(400.0));
  check(a->bias, 1 / std::sqrt(400.0));
  check(conv->weight, 1 / std::sqrt(4 * 25.0));
}

TEST_CASE("Linear by loops, on every device") {
  nn::Linear layer(3, 2);
  ramp(layer->weight, -1, 0.5);
  ramp(layer->bias, 1, 1);
  const Tensor x = ramp(empty({2, 2, 3}), 0.5, 0.25);
  const std::vector<double> in = values(x);
  for (const Device device : devices()) {
    layer->to(device);
    const std::vector<double> y = values(layer(x.to(device)));
    REQUIRE(y.size() == 8);
    for (std::size_t row = 0; row < 4; ++row)
      for (std::size_t o = 0; o < 2; ++o) {
        double sum = 1 + static_cast<double>(o);
        for (std::size_t i = 0; i < 3; ++i)
          sum += in[row * 3 + i] * (-1 + 0.5 * static_cast<double>(o * 3 + i));
        CHECK(y[row * 2 + o] == Approx(sum));
      }
  }
}

TEST_CASE("BatchNorm keeps running statistics as its formula says") {
  for (const optional<double> momentum : {optional<double>(0.3), optional<double>()}) {
    nn::BatchNorm1d norm(nn::BatchNormOptions(2).momentum(momentum));
    double mean[2] = {0, 0}, var[2] = {1, 1};
    for (int batch = 1; batch <= 3; ++batch) {
      const Tensor x = ramp(empty({4, 2}), batch, 0.5 * batch);
      const std::vector<double> in = values(x), out = values(norm(x));
      for (std::size_t c = 0; c < 2; ++c) {
        double m = 0, squares = 0;
        for (std::size_t i = 0; i < 4; ++i) m += in[i * 2 + c] / 4;
        for (std::size_t i = 0; i < 4; ++i) squares += (in[i * 2 + c] - m) * (in[i * 2 + c] - m);
        for (std::size_t i = 0; i < 4; ++i)
          CHECK(out[i * 2 + c] ==
                Approx((in[i * 2 + c] - m) / std::sqrt(squares / 4 + 1e-5)).margin(1e-5));
        const double factor = momentum.value_or(1.0 / batch);
        mean[c] = (1 - factor) * mean[c] + factor * m;
        var[c] = (1 - factor) * var[c] + factor * squares / 3;
        CHECK(values(norm->running_mean)[c] == Approx(mean[c]));
        CHECK(values(norm->running_var)[c] == Approx(var[c]));
      }
      CHECK(norm->num_batches_tracked.item<int>() == batch);
    }
    norm->eval();
    const double y = values(norm(full({1, 2}, 2.0)))[1];
    CHECK(y == Approx((2 - mean[1]) / std::sqrt(var[1] + 1e-5)));
    CHECK(norm->num_batches_tracked.item<int>() == 3);
  }
  CHECK(message<ShapeError>([] {
          nn::BatchNorm2d(3)(zeros({2, 3}));
        }) == "BatchNorm2d: expected 4 dimensions (N, C, H, W) but the input is [2, 3]");
}

TEST_CASE("Dropout acts in training only") {
  nn::Dropout drop(0.5);
  const Tensor x = ones({1000});
  int zeros = 0;
  for (double v : values(drop(x))) {
    CHECK((v == 0 || v == 2));
    zeros += v == 0;
  }
  CHECK(zeros > 400);
  CHECK(zeros < 600);
  drop->eval();
  CHECK(values(drop(x)) == values(x));
}

TEST_CASE("activation layers compute their formulas") {
  const Tensor x = of({-2, -0.5, 0, 0.5, 2});
  const auto check = [&](const Tensor& y, double (*f)(double)) {
    const std::vector<double> in = values(x), out = values(y);
    for (std::size_t i = 0; i < in.size(); ++i) CHECK(out[i] == Approx(f(in[i])).margin(1e-6));
  };
  check(nn::ReLU()(x), [](double v) { return v > 0 ? v : 0; });
  check(nn::Tanh()(x), [](double v) { return std::tanh(v); });
  CHECK(nn::Flatten()(zeros({2, 3, 4})).sizes() == IntArrayRef{2, 12});
  Tensor changed = x.clone();
  nn::ReLU(nn::ReLUOptions(true))(changed);
  CHECK(values(changed) == std::vector<double>{0, 0, 0, 0.5, 2});
}

TEST_CASE("MSELoss computes its formula, in every reduction") {
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
  check([](auto r) { return nn::MSELoss(r); },
        [](double p, double q) { return (p - q) * (p - q); });
}

TEST_CASE("a cloned loss has its own weight") {
  const nn::CrossEntropyLoss loss(nn::CrossEntropyLossOptions().weight(of({1, 2, 4})));
  const auto copy = loss->clone(Device("sim:0"));
  CHECK(copy->buffers()[0].device() == Device("sim:0"));
  CHECK(loss->weight.is_cpu());
  copy->buffers()[0].fill_(9);
  CHECK(values(loss->weight) == std::vector<double>{1, 2, 4});
  CHECK(values(copy->buffers()[0].cpu()) == std::vector<double>{9, 9, 9});
}

TEST_CASE("CrossEntropyLoss: weight moves with the module, ignored targets do not count") {
  nn::CrossEntropyLoss loss(
      nn::CrossEntropyLossOptions().weight(of({1, 2, 4})).ignore_index(1).label_smoothing(0.0));
  const std::vector<double> scores = {1, 2, 3, 0, 0, 0, 2, 0, 1};
  const Tensor x = of({1, 2, 3, 0, 0, 0, 2, 0, 1}, {3, 3});
  const Tensor target = of({2, 1, 0}).to(kLong);
  const auto log_probability = [&](std::size_t row, std::size_t c) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += std::exp(scores[row * 3 + k]);
    return scores[row * 3 + c] - std::log(sum);
  };
  const double wanted = -(4 * log_probability(0, 2) + 1 * log_probability(2, 0)) / 5;
  for (const Device device : devices()) {
    loss->to(device);
    CHECK(loss->weight.device() == device);
    CHECK(loss(x.to(device), target.to(device)).item<double>() == Approx(wanted));
  }
}
